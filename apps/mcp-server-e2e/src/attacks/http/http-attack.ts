import type { Attack } from '../arena/attack.js';
import type { HttpArena } from '../arena/http-arena.js';

/** One way to misuse the HTTP interface. It runs no programs, so there is no isolation mode. */
export type HttpAttack = Attack<HttpArena>;
