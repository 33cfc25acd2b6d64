import type { Attack } from '../arena/attack.js';
import type { HttpArena } from '../arena/http-arena.js';

/** One way to misuse HTTP. No program runs behind it, so there is no isolation mode. */
export type HttpAttack = Attack<HttpArena>;
