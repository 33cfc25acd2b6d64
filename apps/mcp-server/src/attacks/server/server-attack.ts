import type { Attack } from '../attack.js';

/** One way to start the server wrongly, or in a bad place. It is made once: isolation is not its subject. */
export interface ServerAttack extends Pick<Attack, 'id' | 'what' | 'stoppedBy'> {
  /** Starts servers, attacks them, and throws if anything was got or lost. */
  readonly attack: () => Promise<void>;
}
