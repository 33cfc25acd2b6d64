import { type LanguageName, languageNames } from './language-names.js';
import type { Config } from './schema.js';

/** The languages that are enabled: all that the configuration does not disable. */
export function enabledLanguages({ executors }: Config): LanguageName[] {
  return languageNames.filter((language) => executors?.[language]?.enabled ?? true);
}
