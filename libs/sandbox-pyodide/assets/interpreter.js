import advice from './code_executor/advice.py';
import host from './code_executor/host.py';
import hostCalls from './code_executor/host_calls.py';
import init from './code_executor/__init__.py';
import pictures from './code_executor/pictures.py';
import program from './code_executor/program.py';
import tools from './code_executor/tools.py';
import value from './code_executor/value.py';
import zones from './code_executor/zones.py';
import { packageOptions } from './packages.js';
import { keepZones } from './zones.js';

/* global PYODIDE_INFO -- from Pyodide's lock file, inserted by bundle.mjs */

const modules = {
  __init__: init,
  advice,
  host,
  host_calls: hostCalls,
  pictures,
  program,
  tools,
  value,
  zones,
};

/** Writes printed text unchanged, because the server recognizes frames by their mark. */
function writerTo(stream, isMuted) {
  const write = stream.writeSync.bind(stream);
  return {
    isatty: false,
    write(bytes) {
      if (isMuted()) return bytes.length;
      for (let rest = bytes; rest.length > 0;) rest = rest.subarray(write(rest));
      return bytes.length;
    },
  };
}

/**
 * Loads Python, from the snapshot if there is one, which contains our imported modules.
 *
 * @param ownFiles - Paths as this process sees them: the folders `pyodide` and `packages`, and the file `snapshot`
 * or else the folder `zoneinfo`.
 */
export async function loadInterpreter({ pyodide, snapshot, packages, zoneinfo }, options = {}) {
  const address = `file://${pyodide.split('/').map(encodeURIComponent).join('/')}`;
  const { loadPyodide } = await import(`${address}/pyodide.mjs`);
  const python = await loadPyodide({
    indexURL: `${pyodide}/`,
    // `input()` reads nothing, because stdin is the pipe to the server.
    stdin: () => null,
    env: { HOME: '/home/pyodide' },
    // The default would be the path of the entry script on the host, which would also be in the snapshot.
    _sysExecutable: '/usr/bin/python3',
    ...packageOptions(packages, PYODIDE_INFO),
    ...(snapshot && { _loadSnapshot: Deno.readFileSync(snapshot) }),
    ...options,
  });
  const isDead = muteLastWords(python);
  python.setStdout(writerTo(Deno.stdout, isDead));
  python.setStderr(writerTo(Deno.stderr, isDead));
  // This file is a second way to stdin, which is the pipe to the server.
  python.FS.unlink('/dev/tty');
  if (!snapshot) importOwnModules(python, zoneinfo);
  return python;
}

/**
 * Silences fatal errors of the interpreter, which print pages and ask for a bug report; the author of the program
 * gets one line from us instead. Returns a function that says whether there was such an error.
 */
function muteLastWords(python) {
  const api = python._api;
  const { error } = console;
  let isDead = false;
  const tell = api.fatal_error;
  api.fatal_error = (cause) => {
    isDead = true;
    console.error = () => {};
    try {
      tell(cause);
    } finally {
      console.error = error;
    }
  };
  return () => isDead;
}

function importOwnModules(python, zoneinfo) {
  const folder = `${python.runPython('import site; site.getsitepackages()[0]')}/code_executor`;
  python.FS.mkdir(folder);
  for (const [name, text] of Object.entries(modules)) python.FS.writeFile(`${folder}/${name}.py`, text);
  python.runPython('import code_executor.program, code_executor.zones');
  if (zoneinfo) keepZones(python, zoneinfo);
}
