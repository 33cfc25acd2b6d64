import { printable } from '@code-executor/contracts';

/** The shortest time between two notifications. */
const intervalMs = 1000;
/** The longest one. Clients, and proxies on the way, give up a request of which they hear nothing for about a minute. */
const silenceMs = 10_000;

export interface Progress {
  /** Sends this message next, unless another one replaces it before. */
  report(message: string): void;
  /** Stops sending. */
  end(): void;
}

/**
 * Sends the first message at once, then the latest one each second, and without any for ten seconds how long it has been
 * going on; `progress` counts what was sent.
 */
export function createProgress(send: (progress: number, message: string) => void): Progress {
  const begunAt = performance.now();
  let sent = 0;
  let latest: string | undefined;
  let pause: NodeJS.Timeout | undefined;
  let hasEnded = false;
  const sendNow = (message: string) => {
    send(++sent, message);
    silence.refresh();
  };
  const silence = setTimeout(() => {
    const seconds = Math.round((performance.now() - begunAt) / 1000);
    sendNow(`running for ${seconds} s`);
  }, silenceMs);
  const flush = () => {
    pause = undefined;
    if (latest === undefined || hasEnded) return;
    sendNow(latest);
    latest = undefined;
    pause = setTimeout(flush, intervalMs);
  };
  return {
    report(message) {
      // Clients show the message in terminals.
      latest = printable(message);
      if (!pause) flush();
    },
    end() {
      hasEnded = true;
      clearTimeout(pause);
      clearTimeout(silence);
    },
  };
}
