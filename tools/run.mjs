/** Starting other programs, the same way everywhere. Node built-ins only: this runs before `npm ci`. */
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

/** The folder of the repository. */
export const root = join(import.meta.dirname, '..');

/**
 * The environment for children: without what `npm run` and a calling Node add, so that a run does not
 * depend on how it was started. What says where packages come from stays.
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

/** How to end what runs: nothing must outlive us. */
const running = new Set();
process.on('exit', () => running.forEach((end) => end()));

function signal(pid, name) {
  try {
    process.kill(pid, name);
  } catch {
    // It is gone already.
  }
}

/**
 * Runs a program to its end and resolves with `{ code, stdout, stderr, output }`, where `output` has both
 * streams as they came; an exit code is never an exception, and neither is a missing program (code 127).
 * After `timeoutMs` it is ended with all that it started. `onLine` gets each line of its stdout.
 */
export function run(command, args, { cwd = root, env = cleanEnvironment(), timeoutMs, onLine } = {}) {
  return new Promise((resolve) => {
    // A group of its own, to be ended as a whole; without a time limit the terminal's Ctrl-C does that.
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
    // SIGTERM first: Nx ends its tasks then, which are no longer in its group.
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
 * The file behind an installed package's command, to be started with Node itself. Default: the command that is
 * named like the package, else the only one.
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

/** Runs npm: the one that started us where there is one. */
export function runNpm(args, options) {
  const npm = process.env.npm_execpath ?? '';
  if (npm.endsWith('npm-cli.js')) return run(process.execPath, [npm, ...args], options);
  return run(process.platform === 'win32' ? 'npm.cmd' : 'npm', args, options);
}
