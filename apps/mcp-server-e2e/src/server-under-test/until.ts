import { setTimeout as delay } from 'node:timers/promises';

/** Waits for a condition that no event announces, such as the end of another process. */
export async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await condition())) await delay(20);
}
