import { CodeExecutorError } from '@code-executor/contracts';

import type { HostFiles, IsolatedCommandOptions, Walls } from './command.js';
import { firstLineOf } from './first-line.js';
import type { ExitStatus } from './process/exit-status.js';
import { IsolatedProcess } from './process/isolated-process.js';
import { strictCommand } from './strict/strict-command.js';

/** What the user asks for: `auto` is `strict` if it works, otherwise `portable`. */
export type Isolation = 'auto' | 'strict' | 'portable';

/** The walls that are used; if `auto` fell back to `portable`, `note` says why. */
export interface ChosenIsolation {
  mode: Walls;
  note?: string;
}

/** A command that tests strict isolation: if that works, the command prints `says` and ends. */
export type Probe<Files extends HostFiles = HostFiles> = IsolatedCommandOptions<Files> & { says: string };

const probes = new Map<string, Promise<string | undefined>>();
/** How long the probe may take, and how much it may print. */
const probeLimitMs = 30_000;
const maxProbeBytes = 64 * 1024;

/**
 * Determines, once per program, which isolation works here, by running a process of it. If that process could not be
 * run to its end, the next call tries again.
 *
 * @throws CodeExecutorError `failed_precondition` if `strict` was requested and does not work.
 */
export async function chooseIsolation<Files extends HostFiles>(
  isolation: Isolation,
  probe: Probe<Files>,
): Promise<ChosenIsolation> {
  if (isolation === 'portable') return { mode: 'portable' };
  const { path } = probe.program;
  let outcome = probes.get(path);
  if (!outcome) {
    outcome = probeStrict(probe);
    probes.set(path, outcome);
  }
  const problem = await outcome;
  if (problem === undefined) return { mode: 'strict' };
  if (isolation === 'auto') {
    return { mode: 'portable', note: `${problem} Executions run in portable isolation.` };
  }
  throw new CodeExecutorError(
    'failed_precondition',
    `Strict isolation was requested but is not available: ${problem} Or set sandbox.isolation to "auto" or "portable".`,
  );
}

/** Runs one process in strict isolation; resolves with what went wrong, if anything did. */
async function probeStrict<Files extends HostFiles>(probe: Probe<Files>): Promise<string | undefined> {
  const { path } = probe.program;
  try {
    const { stdout, stderr, exit, isLate } = await runProbe(probe);
    if (stdout === probe.says) return undefined;
    if (isLate) {
      // The machine may be less busy the next time.
      probes.delete(path);
      return `Bubblewrap started nothing within ${probeLimitMs / 1000} s; the machine may be too busy.`;
    }
    if (exit.code === 127) {
      return 'Bubblewrap is not installed; install it (Debian, Ubuntu: apt-get install bubblewrap).';
    }
    const detail = firstLineOf(stderr) || `exit code ${exit.code ?? exit.signal ?? 'unknown'}`;
    return `Bubblewrap does not work here (${detail}); allow unprivileged user namespaces.`;
  } catch (error) {
    probes.delete(path);
    return CodeExecutorError.from(error).message;
  }
}

async function runProbe<Files extends HostFiles>(
  probe: Probe<Files>,
): Promise<{ stdout: string; stderr: string; exit: ExitStatus; isLate: boolean }> {
  const process = new IsolatedProcess(await strictCommand(probe), maxProbeBytes);
  let isLate = false;
  const timer = setTimeout(() => {
    isLate = true;
    void process.kill(0);
  }, probeLimitMs);
  const [stdout, stderr] = [textReader(), textReader()];
  process.read({ stdout, stderr, onTooMuch: () => undefined });
  const exit = await process.exit;
  clearTimeout(timer);
  return { stdout: stdout.text(), stderr: stderr.text(), exit, isLate };
}

function textReader() {
  const pieces: Buffer[] = [];
  return {
    push: (bytes: Buffer) => void pieces.push(bytes),
    end: () => undefined,
    text: () => Buffer.concat(pieces).toString(),
  };
}
