/** Starts other programs. Uses only Node built-ins, because this runs before `npm ci`. */
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

/** The folder of the repository. */
export const root = join(import.meta.dirname, '..');

/**
 * The environment for child processes, without what `npm run` and a parent Node process add, so that a run does not
 * depend on how it was started. Settings for the package registry stay.
 */
export function cleanEnvironment(extra = {}) {
  const kept = Object.entries(process.env).filter(
    ([name]) =>
      !/^(npm_|NODE_OPTIONS$|NODE_ENV$|NODE_V8_COVERAGE$|NODE_TEST_CONTEXT$|INIT_CWD$)/.test(name) ||
      /^npm_config_(cache|registry|userconfig|globalconfig|cafile|https?_proxy|proxy|offline)$/.test(name),
  );
  return { ...Object.fromEntries(kept), NX_DAEMON: 'false', NX_TUI: 'false', FORCE_COLOR: '0', ...extra };
}

const killGraceMs = 5000;

/** Functions that end the running programs, because none of them must outlive this process. */
const running = new Set();
process.on('exit', () => running.forEach((end) => end()));

function signal(pid, name) {
  try {
    process.kill(pid, name);
  } catch {
    // The process has already ended.
  }
}

/**
 * Runs a program to its end and resolves with `{ code, stdout, stderr, output }`; `output` contains both streams in
 * order. Never rejects, not even if the program is missing (code 127). After `timeoutMs` the program is ended with all
 * that it started. `onLine` gets each line of its stdout.
 */
export function run(command, args, { cwd = root, env = cleanEnvironment(), timeoutMs, onLine } = {}) {
  return new Promise((resolve) => {
    // A process group, to be ended as a whole. Without a timeout, Ctrl-C in the terminal does that.
    const isGroup = timeoutMs !== undefined && process.platform !== 'win32';
    const child = spawn(command, args, { cwd, env, detached: isGroup, stdio: ['ignore', 'pipe', 'pipe'] });
    const text = { stdout: '', stderr: '', output: '' };
    for (const stream of ['stdout', 'stderr']) {
      child[stream].setEncoding('utf8').on('data', (chunk) => {
        text[stream] += chunk;
        text.output += chunk;
      });
    }
    if (onLine) createInterface({ input: child.stdout }).on('line', onLine);
    // SIGTERM first, because Nx then ends its tasks, which are not in its process group.
    const end = (name = 'SIGTERM') => signal(isGroup ? -child.pid : child.pid, name);
    if (child.pid) running.add(end);
    const timer = timeoutMs === undefined ? undefined : setTimeout(tooLate, timeoutMs);
    function tooLate() {
      text.output += `\nEnded after ${timeoutMs / 1000} s.\n`;
      end();
      setTimeout(end, killGraceMs, 'SIGKILL').unref();
    }
    const finish = (result) => {
      clearTimeout(timer);
      running.delete(end);
      resolve(result);
    };
    child.on('error', (error) => finish({ ...text, code: 127, output: error.message, missing: true }));
    child.on('close', (code) => finish({ ...text, code: code ?? 1 }));
  });
}

/**
 * The file of an installed package's command, to run with Node. Default: the command with the name of the package, or
 * else its only one.
 */
export function binOf(packageName, command = packageName) {
  const folder = join(root, 'node_modules', packageName);
  const { bin } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  if (typeof bin === 'string') return join(folder, bin);
  const files = Object.values(bin);
  return join(folder, bin[command] ?? (files.length === 1 ? files[0] : ''));
}

/** Runs an installed package's command. */
export function runBin(packageName, args, { command, ...options } = {}) {
  return run(process.execPath, [binOf(packageName, command), ...args], options);
}

/** Runs npm, if possible the one that started this process. */
export function runNpm(args, options) {
  const npm = process.env.npm_execpath ?? '';
  if (npm.endsWith('npm-cli.js')) return run(process.execPath, [npm, ...args], options);
  return run(process.platform === 'win32' ? 'npm.cmd' : 'npm', args, options);
}
