import { CodeExecutorError, type IsolationMode } from '@code-executor/contracts';

import type { DenoCommand, DenoCommandOptions } from './command/deno-command.js';
import { portableCommand } from './command/portable-command.js';
import { sweepServerFolders } from './command/server-folder.js';
import { strictCommand } from './command/strict-command.js';
import { DenoProcess } from './deno-process.js';
import { firstLineOf } from './hide-paths.js';

/** What the user asks for: `auto` is `strict` where it works, else `portable`. */
export type Isolation = 'auto' | 'strict' | 'portable';

/** What the user gets, and why it is not `strict`, where it is not. */
export interface ChosenIsolation {
  mode: Extract<IsolationMode, 'strict' | 'portable'>;
  note?: string;
}

const probeScript = new URL('../assets/probe.js', import.meta.url);
const probes = new Map<string, Promise<string | undefined>>();
/** How long the probe may take. */
const probeLimitMs = 30_000;

/**
 * Finds out, once per Deno binary, which isolation works here, by really running a process in it. Where the process
 * could not be run to its end, the next call tries again.
 *
 * @throws CodeExecutorError `failed_precondition` when the mode that was demanded cannot be had.
 */
export async function chooseIsolation(denoPath: string, isolation: Isolation): Promise<ChosenIsolation> {
  if (isolation === 'portable') return { mode: 'portable' };
  let probe = probes.get(denoPath);
  if (!probe) {
    probe = probeStrict(denoPath);
    probes.set(denoPath, probe);
  }
  const problem = await probe;
  if (problem === undefined) return { mode: 'strict' };
  if (isolation === 'auto') {
    return { mode: 'portable', note: `${problem} Executions run in portable isolation.` };
  }
  throw new CodeExecutorError(
    'failed_precondition',
    `Strict isolation was demanded and cannot be had: ${problem} Or set sandbox.isolation to "auto" or "portable".`,
  );
}

/** The command line for one Deno process in the given mode. */
export async function denoCommand(
  mode: ChosenIsolation['mode'],
  options: DenoCommandOptions,
): Promise<DenoCommand> {
  await sweepServerFolders();
  return mode === 'strict' ? strictCommand(options) : portableCommand(options);
}

/** Runs one process in strict isolation; resolves with what went wrong, if anything did. */
async function probeStrict(denoPath: string): Promise<string | undefined> {
  const options = {
    denoPath,
    script: probeScript,
    limits: { heapMb: 128, memoryMb: 256, cpuSeconds: 10 },
    grants: { read: [], write: [] },
  };
  try {
    const process = new DenoProcess(await strictCommand(options), { maxOutputBytes: 64 * 1024 });
    let isLate = false as boolean;
    const timer = setTimeout(() => {
      isLate = true;
      void process.kill(0);
    }, probeLimitMs);
    let stdout = '';
    let stderr = '';
    process.listen({
      onOutput: ({ stream, text }) => (stream === 'stdout' ? (stdout += text) : (stderr += text)),
    });
    const exit = await process.exit;
    clearTimeout(timer);
    if (stdout === 'strict isolation works\n') return undefined;
    if (isLate) {
      // True of this moment only.
      probes.delete(denoPath);
      return `Bubblewrap started nothing within ${probeLimitMs / 1000} s; the machine may be too busy.`;
    }
    const detail = firstLineOf(stderr) || `exit code ${exit.code ?? exit.signal ?? 'unknown'}`;
    if (exit.code === 127) {
      return 'Bubblewrap is not installed; install it (Debian, Ubuntu: apt-get install bubblewrap).';
    }
    return `Bubblewrap does not work here (${detail}); allow unprivileged user namespaces.`;
  } catch (error) {
    probes.delete(denoPath);
    return CodeExecutorError.from(error).message;
  }
}
