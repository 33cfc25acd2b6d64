import type { ExecutionLanguage } from './languages/execution-language.js';

/** The names of the patterns that occur in a program. */
export function codePatterns(
  code: string,
  { auditPatterns }: Pick<ExecutionLanguage, 'auditPatterns'>,
): string[] {
  return Object.entries(auditPatterns).flatMap(([name, pattern]) => (pattern.test(code) ? [name] : []));
}
