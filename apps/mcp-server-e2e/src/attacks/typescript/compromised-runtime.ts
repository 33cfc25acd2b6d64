import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

import type { ExecutionResult } from '@code-executor/contracts';
import { denoCommand, DenoProcess, findDeno, runProgram } from '@code-executor/deno-runtime';
import type { ExitStatus } from '@code-executor/isolation';
import { hostCallContext, type ProgramReach } from '@code-executor/sandbox-channel';

import type { Mode } from '../arena/mode.js';

/** The product's own command line, which tests change before they run it. */
export type Command = Awaited<ReturnType<typeof denoCommand>>;

const insideScript = new URL('./inside/inside.js', import.meta.url);
const bootstrap = pathToFileURL(
  join(
    dirname(createRequire(import.meta.url).resolve('@code-executor/sandbox-deno/package.json')),
    'dist/bootstrap/bootstrap.js',
  ),
);
const nothing: ProgramReach = {
  tools: {
    listTools: () => Promise.resolve({ tools: [], failedServers: [] }),
    callTool: () => Promise.resolve({ content: [] }),
  },
  fetcher: undefined,
  net: [],
  files: undefined,
};
const limits = { heapMb: 128, memoryMb: 256, cpuSeconds: 60 };
const defaultKillAfterMs = 20_000;

/** Gives the runtime all permissions, so that only the operating system protects the machine. */
export function permitEverything(command: Command): void {
  command.args = command.args
    .filter((argument) => !/^--(?:deny|allow)-/.test(argument))
    .flatMap((argument) => (argument === 'run' ? ['run', '-A'] : [argument]));
}

/** Keeps bubblewrap, but removes the filter. */
export function withoutFilter(command: Command): void {
  command.args.splice(command.args.indexOf('--seccomp'), 2);
  delete command.filter;
}

/** Keeps the filter, but removes bubblewrap's walls around the file system, the network and other processes. */
export async function withoutWalls(command: Command): Promise<void> {
  const start = command.args.indexOf('bwrap') + 1;
  const deno = command.args.lastIndexOf('/app/deno');
  command.args.splice(
    start,
    deno + 1 - start,
    ...['--seccomp', '3', '--dev-bind', '/', '/'],
    ...['--setenv', 'DENO_DIR', '/dev/null/deno'],
    await findDeno(),
  );
  command.args = command.args.map((argument) =>
    argument === '/app/rt/inside.js' ? fileURLToPath(insideScript) : argument,
  );
}

/**
 * Runs a task of inside.js as the entry script of a sandbox; resolves with its output, how it ended, and whether it had
 * to be killed after `killAfterMs`. That time starts with its first output, because a start may take long.
 */
export async function runInside(
  mode: Mode,
  task: readonly string[],
  change: (command: Command) => void | Promise<void> = () => undefined,
  options: { cpuSeconds?: number; script?: URL; killAfterMs?: number } = {},
): Promise<{ text: string; exit: ExitStatus; wasKilled: boolean }> {
  const command = await denoCommand(mode, {
    denoPath: await findDeno(),
    script: options.script ?? insideScript,
    limits: { ...limits, ...(options.cpuSeconds !== undefined && { cpuSeconds: options.cpuSeconds }) },
    grants: { read: [], write: [] },
  });
  await change(command);
  command.args.push(...task);
  const sandbox = new DenoProcess(command, { maxOutputBytes: 1024 * 1024 });
  let text = '';
  let wasKilled = false;
  const killAfter = (ms: number) =>
    setTimeout(() => {
      wasKilled = true;
      void sandbox.kill(0);
    }, ms);
  let timer = killAfter(defaultKillAfterMs);
  sandbox.listen({
    onOutput: (chunk) => {
      if (text === '' && options.killAfterMs !== undefined) {
        clearTimeout(timer);
        timer = killAfter(options.killAfterMs);
      }
      text += chunk.text;
    },
  });
  const exit = await sandbox.exit;
  clearTimeout(timer);
  return { text, exit, wasKilled };
}

/** Runs a task and parses the JSON that it prints. */
export async function resultInside<T>(
  task: readonly string[],
  change: (command: Command) => void | Promise<void> = permitEverything,
): Promise<T> {
  const { text, exit } = await runInside('strict', task, change);
  if (!text.startsWith('{') && !text.startsWith('[')) throw new Error(`${JSON.stringify(exit)} ${text}`);
  return JSON.parse(text) as T;
}

/** Runs a program that only the walls of the operating system restrict. */
export async function runUnguarded(code: string, timeoutMs: number): Promise<ExecutionResult> {
  const command = await denoCommand('strict', {
    denoPath: await findDeno(),
    script: bootstrap,
    limits,
    grants: { read: [], write: [] },
  });
  permitEverything(command);
  const startMark = '__started';
  const { result } = await runProgram(
    new DenoProcess(command, { maxOutputBytes: 64 * 1024 * 1024 }),
    { timeoutMs },
    {
      maxOutputChars: 100_000,
      askedMs: performance.now(),
      startLimitMs: 20_000,
      cleanText: (text) => text,
      hostCalls: { table: new Map(), context: hostCallContext(nothing) },
      run: {
        code,
        servesFiles: false,
        startMark,
        bodyPrefix: `${startMark}(async()=>{`,
        limits: { maxValueChars: 100_000, maxDepth: 190 },
      },
    },
  );
  return result;
}
