import type { Config } from '@code-executor/config';

/** Whether programs in TypeScript run here: unless the configuration says no. */
export function isTypescriptEnabled({ executors }: Config): boolean {
  return executors?.typescript?.enabled ?? true;
}
