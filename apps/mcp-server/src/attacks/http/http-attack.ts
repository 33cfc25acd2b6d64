import type { Attack } from '../attack.js';
import type { Door } from './door.js';

/** One way to misuse the HTTP door. No program runs behind it, so there is no isolation mode. */
export interface HttpAttack extends Pick<Attack, 'id' | 'what' | 'stoppedBy'> {
  /** Attacks, and throws if it got anything; door-aftermath.ts looks at the rest afterwards. */
  readonly attack: (door: Door) => Promise<void>;
}
