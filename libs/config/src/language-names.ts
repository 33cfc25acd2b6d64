/**
 * The languages that programs can be written in: each has its keys in `executors` and `sandbox.spares`. Add a new one
 * here first; the compiler then finds every table that has to describe it.
 */
export const languageNames = ['typescript', 'python'] as const;

export type LanguageName = (typeof languageNames)[number];

/** The tool that runs programs in each language. */
export const languageTools = {
  typescript: 'executeTypescript',
  python: 'executePython',
} as const satisfies Record<LanguageName, string>;
