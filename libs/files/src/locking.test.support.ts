import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';

const built = new URL('../dist/index.js', import.meta.url).href;
const prelude = `
  import { rewriteFile, takeLock } from ${JSON.stringify(built)};
  const say = (line) => new Promise((done) => process.stdout.write(line + '\\n', done));
  const [path, count, name] = process.argv.slice(1);
`;

/** A process of its own; it needs the built package. */
export interface Locking {
  process: ChildProcess;
  pid: number;
  /** Resolves when it has printed something for the first time. */
  begun: Promise<void>;
  /** What it printed, once it has ended. */
  ended: Promise<string>;
}

/** Takes the lock at the path, says so, and keeps it until it is killed. */
export function startHolder(path: string): Locking {
  return start(
    `
    await takeLock(path, { subject: 'x', waitMs: 60_000 });
    await say('held');
    setInterval(() => {}, 1000);
  `,
    [path],
  );
}

/** Adds this many lines to the file, one at a time, and prints each once it is added. */
export function startWriter(path: string, count: number, name: string): Locking {
  return start(writing(''), [path, String(count), name]);
}

/** Does the same, but kills itself while it holds the lock for its last line, which it has not added by then. */
export function startVictim(path: string, count: number, name: string): Locking {
  return start(writing(`if (number === Number(count) - 1) process.kill(process.pid, 'SIGKILL');`), [
    path,
    String(count),
    name,
  ]);
}

function writing(whileLocked: string): string {
  return `
    for (let number = 0; number < Number(count); number++) {
      const line = name + '-' + number;
      for (let isAdded = false; !isAdded; ) {
        isAdded = await rewriteFile(path, { maxBytes: 1024 * 1024 }, (text = '') => {
          ${whileLocked}
          return text + line + '\\n';
        }).then(() => true, (error) => {
          if (error.code !== 'unavailable') throw error;
          return false;
        });
      }
      await say(line);
    }
  `;
}

function start(program: string, args: string[]): Locking {
  const child = spawn(process.execPath, ['--input-type=module', '-e', prelude + program, ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let output = '';
  const begun = new Promise<void>((resolve) => {
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      output += text;
      resolve();
    });
  });
  return { process: child, pid: child.pid ?? 0, begun, ended: once(child, 'close').then(() => output) };
}
