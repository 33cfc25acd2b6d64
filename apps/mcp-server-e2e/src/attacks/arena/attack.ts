import type { Arena } from './arena.js';

/** One way to break out or to do harm, with the check that it fails. */
export interface Attack<A extends Arena> {
  /** The id in docs/security/attacks.md. */
  id: string;
  /** What it tries, in one line. */
  what: string;
  /** What stops it: layers of docs/architecture.md, the outermost last. */
  stoppedBy: string;
  /**
   * Runs the attack, and throws if it achieved anything. What no attack may leave behind, such as a secret in an
   * answer, a connection or a process, is checked after each of them; see aftermath.ts.
   */
  readonly attack: (arena: A) => Promise<void>;
}
