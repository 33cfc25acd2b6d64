import type { Attack } from '../arena/attack.js';
import type { StdioArena } from '../arena/stdio-arena.js';

/** One way to start the server wrongly, or in a bad place. It is made once: isolation is not its subject. */
export interface ServerAttack extends Omit<Attack<StdioArena>, 'attack'> {
  /** Starts servers, attacks them, and throws if anything was got or lost. */
  readonly attack: () => Promise<void>;
}
