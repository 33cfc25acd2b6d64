import type { Config } from '@code-executor/config';
import type { Language } from '@code-executor/contracts';

const languages: readonly Language[] = ['typescript', 'python'];

/** The languages whose programs run here: all but those that the configuration switches off. */
export function enabledLanguages({ executors }: Config): Language[] {
  return languages.filter((language) => executors?.[language]?.enabled ?? true);
}
