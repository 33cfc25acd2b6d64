/** Walls that only Python has: around the files that it starts from, and what the process gets. */
const library = (name) => `libs/sandbox-pyodide/${name}`;
const snapshot = library('src/memory-snapshot.ts');
const readFile = 'libs/files/src/read-regular-file.ts';
const interpreter = library('assets/interpreter.js');
const program = library('assets/code_executor/program.py');
const strict = 'libs/isolation/src/strict/strict-command.ts';
const output = 'libs/sandbox-channel/src/frames/sandbox-output.ts';
const command = 'libs/deno-runtime/src/deno-command.ts';
const limits = 'libs/isolation/src/resource-limits.ts';

const revoked = "Deno.permissions.revokeSync({ name: 'read' });";

export const python = {
  'read is revoked before Python runs a program': {
    edits: [[library('assets/bootstrap.js'), revoked, '']],
    attacks: ['PY-06'],
  },
  'interpreter, packages and snapshot are read-only': {
    edits: [[strict, "['--ro-bind', path, `/app/${name}`]", "['--bind', path, `/app/${name}`]"]],
    attacks: ['PY-33'],
  },
  'the hash of a snapshot': {
    edits: [[snapshot, 'if (found && name === `${prefix}${hashOf(found.bytes)}.bin`) return', 'return']],
    attacks: ['PY-29'],
  },
  'a snapshot is not a pipe': {
    edits: [[readFile, 'constants.O_RDONLY | constants.O_NONBLOCK', 'constants.O_RDONLY']],
    attacks: ['PY-29'],
  },
  'a changed snapshot is checked again': {
    edits: [[snapshot, 'stampOf(await last) !== this.#stamp', 'false']],
    attacks: ['PY-29'],
  },
  'random numbers are seeded after a snapshot': {
    edits: [[program, '    random.seed()\n', '']],
    attacks: ['PY-19'],
  },
  'stdin of Python is empty': {
    edits: [[interpreter, 'stdin: () => null,', '']],
    attacks: ['PY-26'],
    redundant: 'without it Pyodide asks prompt(), which Deno answers at a terminal only',
  },
  'the variables of Python are set by us': {
    edits: [[program, '    os.environ.clear()\n', '']],
    attacks: ['PY-01'],
  },
  'Python does not know the path of the product': {
    edits: [[interpreter, "_sysExecutable: '/usr/bin/python3',", '']],
    attacks: ['PY-20'],
  },
  'Python takes no files': {
    edits: [
      [
        library('src/pyodide-sandbox.ts'),
        'if (read.length + write.length > 0) {',
        'if (read.length + write.length < 0) {',
      ],
    ],
    attacks: ['PY-34'],
    redundant: 'the executor refuses such parameters first',
  },
  'a nonce per process of Python': {
    edits: [[output, "randomBytes(16).toString('hex')", "'0'.repeat(32)"]],
    attacks: ['PY-15'],
  },
  'no Worker for Python': {
    edits: [['libs/deno-runtime/assets/restrict-globals.js', 'delete globalThis.Worker;', '']],
    attacks: ['PY-10'],
  },
  "Deno's permission for Python: run": {
    edits: [[command, "'--deny-run'", "'--allow-run'"]],
    attacks: ['PY-04', 'PY-05'],
  },
  'ulimit -d for Python': {
    edits: [[limits, /\s*`ulimit -d .*,/, '']],
    attacks: ['PY-32'],
  },
};
