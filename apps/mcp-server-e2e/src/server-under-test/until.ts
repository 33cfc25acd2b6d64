import { setTimeout as delay } from 'node:timers/promises';

/** Waits for what no event tells, such as the end of somebody else's process. */
export async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await condition())) await delay(20);
}
