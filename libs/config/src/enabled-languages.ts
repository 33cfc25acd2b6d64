import { type LanguageName, languageNames } from './language-names.js';
import type { Config } from './schema.js';

/** The languages whose programs run: all but those that the configuration switches off. */
export function enabledLanguages({ executors }: Config): LanguageName[] {
  return languageNames.filter((language) => executors?.[language]?.enabled ?? true);
}
