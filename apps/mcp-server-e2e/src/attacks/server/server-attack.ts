import type { Attack } from '../arena/attack.js';
import type { StdioArena } from '../arena/stdio-arena.js';

/** One way to start the server with bad input or in a bad place. It runs once, because it does not depend on isolation. */
export interface ServerAttack extends Omit<Attack<StdioArena>, 'attack'> {
  /** Starts servers, attacks them, and throws if the attack achieved anything. */
  readonly attack: () => Promise<void>;
}
