import type { Arena } from './arena.js';

/** One way to break out, or to do harm, and what has to come of it. */
export interface Attack<A extends Arena> {
  /** Of the list in docs/security/attacks.md. */
  id: string;
  /** What it tries, in one line. */
  what: string;
  /** What stops it: layers of docs/architecture.md, the outermost last. */
  stoppedBy: string;
  /**
   * Attacks, and throws if it got anything. What no attack may leave behind, such as a secret in an
   * answer, a connection or a process, is looked at afterwards for all of them; see aftermath.ts.
   */
  readonly attack: (arena: A) => Promise<void>;
}
