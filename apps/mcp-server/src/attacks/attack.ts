import type { Arena } from './arena.js';

/** How programs are walled off in the server that is attacked. */
export type Mode = 'strict' | 'portable';

/** One way to break out, or to do harm, and what has to come of it. */
export interface Attack {
  /** Of the list in docs/security/attacks.md. */
  id: string;
  /** What it tries, in one line. */
  what: string;
  /** What stops it: layers of docs/architecture.md, the outermost last. */
  stoppedBy: string;
  /** Why there is nothing to attack in a mode. */
  notApplicable?: Partial<Record<Mode, string>>;
  /**
   * Attacks, and throws if it got anything. What no attack may leave behind, such as a secret in an
   * answer, a connection or a process, is looked at afterwards for all of them; see aftermath.ts.
   */
  readonly attack: (arena: Arena) => Promise<void>;
}
