import type { Attack } from './attack.js';
import type { Mode } from './mode.js';
import type { StdioArena } from './stdio-arena.js';

/** An attack by a program, or by the client that sends it. It runs in each isolation mode. */
export interface ProgramAttack extends Attack<StdioArena> {
  /** Why there is nothing to attack in a mode; absent for modes that the attack applies to. */
  notApplicable?: Partial<Record<Mode, string>>;
}
