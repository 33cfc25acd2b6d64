import { printable } from '@code-executor/contracts';

/** The shortest time between two notifications. */
const intervalMs = 1000;

export interface Progress {
  /** Sends this message next, unless another one replaces it before. */
  report(message: string): void;
  /** Stops sending. */
  end(): void;
}

/** Sends the first message at once, then the latest one each second; `progress` counts them. */
export function createProgress(send: (progress: number, message: string) => void): Progress {
  let sent = 0;
  let latest: string | undefined;
  let timer: NodeJS.Timeout | undefined;
  let hasEnded = false;
  const flush = () => {
    timer = undefined;
    if (latest === undefined || hasEnded) return;
    send(++sent, latest);
    latest = undefined;
    timer = setTimeout(flush, intervalMs);
  };
  return {
    report(message) {
      // Clients show the message in terminals.
      latest = printable(message);
      if (!timer) flush();
    },
    end() {
      hasEnded = true;
      clearTimeout(timer);
    },
  };
}
