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

/* global PYODIDE_INFO -- of Pyodide's lock file, put in by bundle.mjs */

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

/** Printed text as it is: the server tells frames from it by their mark. */
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
 * Loads Python: from the snapshot, if there is one, where our modules are imported already.
 *
 * @param ownFiles - As this process sees them: the folders `pyodide`, `packages` and, where there is no
 * `snapshot`, `zoneinfo`.
 */
export async function loadInterpreter({ pyodide, snapshot, packages, zoneinfo }, options = {}) {
  const address = `file://${pyodide.split('/').map(encodeURIComponent).join('/')}`;
  const { loadPyodide } = await import(`${address}/pyodide.mjs`);
  const python = await loadPyodide({
    indexURL: `${pyodide}/`,
    // What `input()` reads: nothing. The pipe is not the program's.
    stdin: () => null,
    env: { HOME: '/home/pyodide' },
    // Else it is the path of the entry script, as the host has it; and a snapshot keeps it.
    _sysExecutable: '/usr/bin/python3',
    ...packageOptions(packages, PYODIDE_INFO),
    ...(snapshot && { _loadSnapshot: Deno.readFileSync(snapshot) }),
    ...options,
  });
  const isDead = muteLastWords(python);
  python.setStdout(writerTo(Deno.stdout, isDead));
  python.setStderr(writerTo(Deno.stderr, isDead));
  // A second way to stdin, which is the pipe to the server.
  python.FS.unlink('/dev/tty');
  if (!snapshot) importOwnModules(python, zoneinfo);
  return python;
}

/**
 * A fatal error of the interpreter prints pages about itself, and asks for a report to its makers; the
 * program's author gets one line of ours. Returns whether there was one.
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
