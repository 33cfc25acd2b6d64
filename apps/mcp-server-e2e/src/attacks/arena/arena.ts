import { removeHome } from '../../server-under-test/home.js';
import type { Places } from './places.js';
import type { Surroundings } from './surroundings.js';
import type { Traps } from './traps.js';
import { takeUpstreamCalls, upstreamCalls } from './upstream-calls.js';

/** The output of a server: its answers, and the log for its operator. */
export interface Output {
  answers: string;
  log: string;
}

/**
 * The built server, surrounded by secrets and traps. There is a subclass for each transport, which defines how the
 * server is started, called and stopped. What an attack must not leave behind is the same for all; see aftermath.ts.
 */
export abstract class Arena {
  readonly places: Places;
  readonly #traps: Traps;
  #output: Output = { answers: '', log: '' };

  protected constructor({ places, traps }: Surroundings) {
    this.places = places;
    this.#traps = traps;
  }

  /** The id of the server's process. */
  abstract get pid(): number;

  /** Fails if the server does not answer as before, or if a process of an attack still runs. */
  abstract checkWorks(): Promise<void>;

  /** Stops the server; resolves when its process has ended. */
  abstract end(): Promise<void>;

  /** What the server must not reveal. */
  get secrets(): readonly string[] {
    return [this.places.canary];
  }

  /** Collects output of the server. */
  protected addOutput(where: keyof Output, text: string): void {
    this.#output[where] += text;
  }

  /** The output of the server since {@link takeOutput} was last called. */
  get output(): Readonly<Output> {
    return this.#output;
  }

  takeOutput(): Output {
    const output = this.#output;
    this.#output = { answers: '', log: '' };
    return output;
  }

  /** The calls that reached upstream servers since the last time; forgets them. */
  readonly takeUpstreamCalls = () => takeUpstreamCalls(this.places);

  /** The same calls without forgetting them; more may arrive at any time. */
  readonly upstreamCalls = () => upstreamCalls(this.places);

  /** The connections that traps have caught since the last time. */
  takeCaught(): string[] {
    return this.#traps.caught.splice(0);
  }

  /** Stops the server, and removes its home unless `keepHome` is set. */
  async close({ keepHome = false } = {}): Promise<void> {
    await this.end();
    this.#traps.close();
    if (!keepHome) await removeHome(this.places.home);
  }
}
