import { removeHome } from '../../server-under-test/home.js';
import type { Places } from './places.js';
import type { Surroundings } from './surroundings.js';
import type { Traps } from './traps.js';
import { takeUpstreamCalls, upstreamCalls } from './upstream-calls.js';

/** What a server has said: to those who ask it, and to its operator. */
export interface Words {
  answers: string;
  log: string;
}

/**
 * The built server in the middle of secrets and traps. Each way to speak to it is a class of its own, which says how
 * the server is started, asked and ended; what an attack may not leave behind is the same for all, see aftermath.ts.
 */
export abstract class Arena {
  readonly places: Places;
  readonly #traps: Traps;
  #words: Words = { answers: '', log: '' };

  protected constructor({ places, traps }: Surroundings) {
    this.places = places;
    this.#traps = traps;
  }

  /** Of the server's process. */
  abstract get pid(): number;

  /** Fails where the server does not answer as before, or something of an attack still runs. */
  abstract checkWorks(): Promise<void>;

  /** Ends the server; resolves when it is gone. */
  abstract end(): Promise<void>;

  /** What the server may tell nobody. */
  get secrets(): readonly string[] {
    return [this.places.canary];
  }

  /** Keeps what the server has said. */
  protected hear(where: keyof Words, text: string): void {
    this.#words[where] += text;
  }

  /** What the server has said since this was last taken. */
  get words(): Readonly<Words> {
    return this.#words;
  }

  takeWords(): Words {
    const words = this.#words;
    this.#words = { answers: '', log: '' };
    return words;
  }

  /** The calls that reached upstream servers since this was last asked. */
  readonly takeUpstreamCalls = () => takeUpstreamCalls(this.places);

  /** The same, left there: more may come at any time. */
  readonly upstreamCalls = () => upstreamCalls(this.places);

  /** Who talked to a trap since this was last asked. */
  takeCaught(): string[] {
    return this.#traps.caught.splice(0);
  }

  /** Ends the server, and removes its home unless somebody wants to look at that. */
  async close({ keepHome = false } = {}): Promise<void> {
    await this.end();
    this.#traps.close();
    if (!keepHome) await removeHome(this.places.home);
  }
}
