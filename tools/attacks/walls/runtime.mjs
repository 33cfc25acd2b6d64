/** What the flags of Deno forbid, and what the bootstrap removes before a program runs. */
const command = 'libs/deno-runtime/src/deno-command.ts';
const bootstrap = 'libs/deno-runtime/assets/restrict-globals.js';
const restrictNode = 'libs/deno-runtime/assets/restrict-node.js';
const restrictSqlite = 'libs/deno-runtime/assets/restrict-sqlite.js';

const without = (name) => [command, new RegExp(`\\s*'--${name}',`), ''];
/** Replaces a flag by `--quiet`, which changes nothing, because the edit needs a flag in its place. */
const undenied = (name) => [command, `'--deny-${name}'`, `'--quiet'`];
const allowed = (name) => [command, `'--deny-${name}'`, `'--allow-${name}'`];
const noVariable = (name) => [command, new RegExp(`\\s*${name}: '.*',`), ''];
const noDataLimit = ['libs/isolation/src/resource-limits.ts', /\s*`ulimit -d .*,/, ''];
const noWorker = [bootstrap, 'delete globalThis.Worker;', ''];
const noHeapLimit = [command, 'max-old-space-size=${limits.heapMb}', 'max-old-space-size=65536'];

/** For each permission, an attack that uses it. */
const permissions = {
  import: 'TS-08',
  net: 'NET-01',
  env: 'TS-17',
  sys: 'TS-30',
  run: 'PRC-01',
  ffi: 'TS-25',
  read: 'TS-03',
  write: 'TS-22',
};

export const runtime = {
  ...Object.fromEntries(
    Object.keys(permissions).map((name) => [
      `--deny-${name}`,
      { edits: [undenied(name)], attacks: ['TS-36'] },
    ]),
  ),
  ...Object.fromEntries(
    Object.entries(permissions).map(([name, attack]) => [
      `Deno's permission: ${name}`,
      { edits: [allowed(name)], attacks: [attack] },
    ]),
  ),
  '--no-remote': {
    edits: [without('no-remote')],
    attacks: ['TS-08'],
    redundant: '--deny-import refuses first',
  },
  '--no-remote and --deny-import': { edits: [without('no-remote'), allowed('import')], attacks: ['TS-08'] },
  '--no-npm': { edits: [without('no-npm')], attacks: ['TS-08'] },
  '--cached-only': { edits: [without('cached-only')], attacks: ['TS-08'] },
  '--no-config': {
    edits: [without('no-config')],
    attacks: ['TS-02', 'TS-24'],
  },
  '--no-lock': {
    edits: [without('no-lock')],
    attacks: ['TS-24'],
    redundant: 'a lock file belongs to settings, and --no-config reads none',
  },
  '--no-check': {
    edits: [without('no-check')],
    attacks: ['TS-07'],
    redundant: 'deno run checks no types without --check',
  },
  '--no-code-cache': {
    edits: [without('no-code-cache')],
    attacks: ['OS-08'],
    redundant: 'each process has its own folder for caches',
  },
  '--no-prompt': {
    edits: [without('no-prompt')],
    attacks: ['TS-36'],
    redundant: '--deny-* leaves nothing to ask for, and stdin is no terminal',
  },
  'V8 heap limit': {
    edits: [noHeapLimit],
    attacks: ['TS-41'],
    redundant: 'ulimit -d ends the process a little later',
  },
  'V8 heap limit and ulimit -d': { edits: [noHeapLimit, noDataLimit], attacks: ['TS-41'] },
  DENO_NO_UPDATE_CHECK: { edits: [noVariable('DENO_NO_UPDATE_CHECK')], attacks: ['OS-03'] },
  DENO_WEBGPU_BACKEND: { edits: [noVariable('DENO_WEBGPU_BACKEND')], attacks: ['TS-38', 'OS-03'] },
  'no internals of the runtime': {
    edits: [[bootstrap, 'delete Deno[Deno.internal];', '']],
    attacks: ['TS-12'],
  },
  'no storage': {
    edits: [[bootstrap, /\['caches', .*'Storage'\]/, '[]']],
    attacks: ['TS-15'],
  },
  'native sockets do nothing': {
    edits: [[restrictNode, '  closeSockets();\n', '']],
    attacks: ['NET-04', 'PY-35'],
  },
  'native sockets do nothing before other code has their prototypes': {
    edits: [
      [restrictNode, 'return closed.size < 2 ? refuse() : value;', 'return value;'],
      [restrictNode, 'if (closed.size < 2) apply(loadAll, globalThis, []);', ''],
    ],
    attacks: ['NET-04'],
  },
  'require looks for no files': {
    edits: [[restrictNode, "whenAssigned(Function.prototype, 'builtinModules', requireBuiltinsOnly);", '']],
    attacks: ['TS-48'],
  },
  'SQLite looks for no folder': {
    edits: [[restrictSqlite, 'apply(includes, apply(toLowerCase, sql, []), [setting])', 'false']],
    attacks: ['TS-53'],
  },
  'SQLite prepares no statement by itself': {
    edits: [[restrictSqlite, "defineProperty(prototype, 'createTagStore', { value: refuse });", '']],
    attacks: ['TS-53'],
  },
  'the product is found through links': {
    edits: [['libs/isolation/src/portable/portable-command.ts', 'link: linkTo(path, name),', 'link: path,']],
    attacks: ['TS-40', 'PY-37'],
  },
  'the ID of the parent process is hidden': {
    edits: [[bootstrap, "Object.defineProperty(Deno, 'ppid', { value: 0 });", '']],
    attacks: ['TS-40', 'PY-37'],
  },
  'the path of the runtime is hidden': {
    edits: [[bootstrap, "Deno.execPath = () => '/app/deno';", '']],
    attacks: ['TS-40', 'PY-37'],
  },
  'require loads no files': {
    edits: [[restrictNode, "fix(Module, '_extensions', loaders);", '']],
    attacks: ['TS-50', 'PY-35'],
  },
  'no Worker': {
    edits: [noWorker],
    attacks: ['TS-27'],
    redundant: 'ulimit -d leaves no room for a second isolate',
  },
  'no Worker and ulimit -d': { edits: [noWorker, noDataLimit], attacks: ['TS-27'] },
};
