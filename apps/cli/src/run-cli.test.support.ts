import { type ChildProcess, execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const bin = fileURLToPath(new URL('../bin/code-executor.js', import.meta.url));

export interface CliRun {
  code: number;
  stdout: string;
  stderr: string;
}

/** Runs the built command with this home and no other settings. */
export function runCli(home: string, ...args: string[]): Promise<CliRun> {
  return startCli(home, {}, ...args).ended;
}

/** Like `runCli`, but returns the running process, and adds environment variables. */
export function startCli(
  home: string,
  { env: more = {} }: { env?: Record<string, string> },
  ...args: string[]
): { process: ChildProcess; ended: Promise<CliRun> } {
  const env = { PATH: process.env['PATH'], HOME: home, USERPROFILE: home, CODE_EXECUTOR_HOME: home, ...more };
  let finish: (run: CliRun) => void = () => {};
  const ended = new Promise<CliRun>((resolve) => (finish = resolve));
  const child = execFile(process.execPath, [bin, ...args], { cwd: home, env }, (error, stdout, stderr) => {
    finish({ code: error === null ? 0 : Number(error.code ?? -1), stdout, stderr });
  });
  return { process: child, ended };
}
