import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

import { isolationsUnderTest } from '@code-executor/contracts/testing';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';

import { type ExitStatus, isolatedCommand, IsolatedProcess, type Walls } from './index.js';

interface Interpreter {
  path: string;
  files: Record<string, string>;
  /** The variables that it needs to find `files`. */
  env: (files: Record<string, string>) => Record<string, string>;
  args: (code: string) => string[];
}

const [python = '', pythonHome = ''] = execFileSync(
  'python3',
  ['-c', 'import os, sys; print(os.path.realpath(sys.executable)); print(sys.base_prefix)'],
  { encoding: 'utf8' },
).split('\n');

const interpreters: Record<string, Interpreter> = {
  bash: {
    path: execFileSync('bash', ['-c', 'printf %s "$BASH"'], { encoding: 'utf8' }),
    files: {},
    env: () => ({}),
    // Without it, bash takes a stdin that is not a file for that of a remote shell, and reads the user's settings.
    args: (code) => ['--norc', '-c', code],
  },
  node: { path: process.execPath, files: {}, env: () => ({}), args: (code) => ['-e', code] },
  python3: {
    path: python,
    files: { lib: join(pythonHome, 'lib') },
    env: ({ lib = '' }) => ({ PYTHONHOME: dirname(lib) }),
    args: (code) => ['-c', code],
  },
};

async function start(walls: Walls, name: string, code: string, env: Record<string, string> = {}) {
  const interpreter = interpreters[name];
  if (!interpreter) throw new Error(`There is no ${name} here.`);
  const command = await isolatedCommand(walls, {
    program: { name, path: await realpath(interpreter.path) },
    files: interpreter.files,
    invoke: ({ files }) => ({ args: interpreter.args(code), env: { ...interpreter.env(files), ...env } }),
    grants: { read: [], write: [] },
    limits: { dataMb: 2048, cpuSeconds: 30 },
  });
  return { command, started: new IsolatedProcess(command, 64 * 1024) };
}

/** Reads a process to its end; calls `onText` with everything that a stream has printed so far. */
function readAll(started: IsolatedProcess, onText: (text: string) => void = () => undefined) {
  const printed = { stdout: '', stderr: '', isTooMuch: false };
  const reader = (stream: 'stdout' | 'stderr') => ({
    push: (bytes: Buffer) => {
      printed[stream] += bytes.toString();
      onText(printed[stream]);
    },
    end: () => undefined,
  });
  const onTooMuch = () => (printed.isTooMuch = true);
  started.read({ stdout: reader('stdout'), stderr: reader('stderr'), onTooMuch });
  return started.exit.then((exit: ExitStatus) => ({ ...printed, exit }));
}

async function run(walls: Walls, name: string, code: string, env: Record<string, string> = {}) {
  const { started } = await start(walls, name, code, env);
  return readAll(started);
}

let folder: string;
let secret: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'isolation-'));
  secret = join(folder, 'secret');
  await writeFile(secret, 'secret');
  process.env['LEAKED'] = 'yes';
});
afterAll(async () => {
  delete process.env['LEAKED'];
  await rm(folder, { recursive: true });
});

/** Prints a line of stdin, a variable that it was given, one of the server's, and what it has written to a file. */
const answer: Record<string, string> = {
  bash: 'read -r line; echo kept > file; read -r kept < file; echo "$line $GREETING ${LEAKED-no} $kept"',
  node: `const { readFileSync, writeFileSync } = require('node:fs');
    const { GREETING, LEAKED = 'no' } = process.env;
    process.stdin.once('data', (line) => {
      writeFileSync('file', 'kept');
      console.log(String(line).trim(), GREETING, LEAKED, String(readFileSync('file')));
      process.exit();
    });`,
  python3: `import os
line = input()
with open("file", "w") as file: file.write("kept")
with open("file") as file: kept = file.read()
print(line, os.environ["GREETING"], os.environ.get("LEAKED", "no"), kept)`,
};

const spin: Record<string, string> = {
  bash: 'echo on; while :; do :; done',
  node: 'console.log("on"); for (;;);',
  python3: 'print("on", flush=True)\nwhile True: pass',
};

describe.each(isolationsUnderTest())('In %s isolation', (walls) => {
  test.each(Object.keys(interpreters))(
    '%s has a stdin, its own environment and a folder that is removed at its end',
    async (name) => {
      const { command, started } = await start(walls, name, answer[name] ?? '', { GREETING: 'hello' });
      const ended = readAll(started);
      await started.send('line\n');
      expect(await ended).toEqual({
        stdout: 'line hello no kept\n',
        stderr: '',
        isTooMuch: false,
        exit: { code: 0, signal: undefined },
      });
      expect(existsSync(command.inside.scratch)).toBe(false);
    },
  );

  test.each(Object.keys(interpreters))(
    'kill() ends %s with its process group, even in an endless loop',
    async (name) => {
      const { started } = await start(walls, name, spin[name] ?? '');
      let isOn: () => void;
      const on = new Promise<void>((resolve) => (isOn = resolve));
      const ended = readAll(started, () => isOn());
      await on;
      expect(started.residentMb).toBeGreaterThan(0);
      expect(started.isHalted).toBe(false);
      await started.kill(0);
      expect(await ended).toMatchObject({ stdout: 'on\n', exit: { signal: 9 } });
      expect(started.residentMb).toBe(0);
    },
  );

  test('a process has the resource limits that it was given', async () => {
    const { stdout } = await run(walls, 'bash', 'ulimit -c; ulimit -d; ulimit -n; ulimit -t');
    expect(stdout).toBe(`0\n${2048 * 1024}\n256\n30\n`);
  });

  test('a process that prints more than it may is ended', async () => {
    const { isTooMuch, exit } = await run(walls, 'bash', 'while :; do echo "and more of it"; done');
    expect({ isTooMuch, exit }).toMatchObject({ isTooMuch: true, exit: { signal: 9 } });
  });
});

function behindStrictWalls() {
  const walls = 'strict';
  const refusals = { file: 'ENOENT', product: 'EROFS', process: 'EPERM', socket: 'EPERM' };

  test('python3 sees no file of the host, changes none, and starts neither processes nor connections', async () => {
    const { stdout } = await run(
      walls,
      'python3',
      `import errno, json, os, socket
def tried(action):
    try: return str(action())
    except OSError as error: return errno.errorcode[error.errno]
print(json.dumps({
    "file": tried(lambda: open(${JSON.stringify(secret)})),
    "product": tried(lambda: open("/app/new", "w")),
    "process": tried(os.fork),
    "socket": tried(socket.socket),
}))`,
    );
    expect(JSON.parse(stdout)).toEqual(refusals);
  });

  test('node sees no file of the host, changes none, and starts neither processes nor connections', async () => {
    const { stdout } = await run(
      walls,
      'node',
      `const fs = require('node:fs');
      const tried = (action) => { try { return String(action()); } catch ({ code }) { return code; } };
      const refusals = {
        file: tried(() => fs.readFileSync(${JSON.stringify(secret)})),
        product: tried(() => fs.writeFileSync('/app/new', '')),
        process: require('node:child_process').spawnSync(process.execPath).error?.code,
      };
      require('node:net').connect(9, '127.0.0.1').on('error', ({ code }) =>
        console.log(JSON.stringify({ ...refusals, socket: code })));`,
    );
    expect(JSON.parse(stdout)).toEqual(refusals);
  });

  test('bash sees no file of the host, changes none, and starts neither processes nor connections', async () => {
    const { stderr } = await run(
      walls,
      'bash',
      `read -r line < ${secret}; : > /app/new; : <> /dev/tcp/127.0.0.1/9; (echo started >&2)`,
    );
    const reasons = stderr.match(
      /No such file or directory|Read-only file system|Operation not permitted|started/g,
    );
    expect(reasons?.slice(0, 3)).toEqual([
      'No such file or directory',
      'Read-only file system',
      'Operation not permitted',
    ]);
    expect(stderr).toContain('fork: Operation not permitted');
    expect(stderr).not.toContain('started');
  });
}

if (isolationsUnderTest().includes('strict')) describe('Behind strict walls', behindStrictWalls);
