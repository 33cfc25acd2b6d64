import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const bin = fileURLToPath(new URL('../bin/code-executor.js', import.meta.url));

export interface CliRun {
  code: number;
  stdout: string;
  stderr: string;
}

/** Runs the built command, with this home for the product and no other settings. */
export function runCli(home: string, ...args: string[]): Promise<CliRun> {
  const env = { PATH: process.env['PATH'], HOME: home, USERPROFILE: home, CODE_EXECUTOR_HOME: home };
  return new Promise((resolve) => {
    execFile(process.execPath, [bin, ...args], { cwd: home, env }, (error, stdout, stderr) => {
      resolve({ code: error === null ? 0 : Number(error.code ?? -1), stdout, stderr });
    });
  });
}
