import { StillStarting } from './connect-failure.js';
import type { UpstreamServer } from '../options.js';
import { runnerPackage } from './runner-package.js';

/** An installed, healthy server does not take this long. */
const suspiciousMs = 30_000;

export interface SlowStart {
  name: string;
  server: UpstreamServer;
  /** For how long it has been asked for its tools. */
  startingForMs: number;
  /** After how long it is given up. */
  connectTimeoutMs: number;
}

/** Explains that a server was started and has not listed its tools yet. */
export function explainStart({ name, server, startingForMs, connectTimeoutMs }: SlowStart): StillStarting {
  const seconds = startingForMs / 1000;
  const fetched = 'command' in server ? runnerPackage(server) : undefined;
  const details = [
    `${seconds < 10 ? seconds.toFixed(1) : Math.round(seconds)} s so far`,
    ...(fetched ? [`${fetched.runner} may have to fetch ${fetched.name} first`] : []),
    ...(startingForMs >= suspiciousMs ? ['or it hangs'] : []),
  ];
  // Left out at first, because a model reads this for each server in its first listing.
  const limit =
    startingForMs < suspiciousMs
      ? ''
      : ` It has ${connectTimeoutMs / 1000} s (connectTimeoutMs of ${name}, or pool.connectTimeoutMs).`;
  return new StillStarting(
    name,
    `it is still starting (${details.join('; ')})`,
    `Search again later; a call to its tools waits for it.${limit}`,
  );
}
