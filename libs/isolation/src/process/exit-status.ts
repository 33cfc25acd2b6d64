/** How a process ended. `signal` is also set if a shell or bubblewrap reported it as exit code 128 + n. */
export interface ExitStatus {
  code: number | undefined;
  signal: number | undefined;
}

const signalNumbers: Partial<Record<NodeJS.Signals, number>> = {
  SIGILL: 4,
  SIGTRAP: 5,
  SIGABRT: 6,
  SIGBUS: 7,
  SIGKILL: 9,
  SIGSEGV: 11,
  SIGTERM: 15,
  SIGXCPU: 24,
  SIGXFSZ: 25,
};

export function exitStatus(code: number | null, signal: NodeJS.Signals | null): ExitStatus {
  if (signal) return { code: undefined, signal: signalNumbers[signal] };
  if (code !== null && code > 128 && code < 160) return { code, signal: code - 128 };
  return { code: code ?? undefined, signal: undefined };
}
