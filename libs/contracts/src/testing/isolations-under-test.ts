/**
 * The isolation modes that a test run covers: `CODE_EXECUTOR_TEST_ISOLATION`, a comma list, or both.
 * `npm test` sets it, and leaves out what the machine cannot do.
 */
export function isolationsUnderTest(): ('strict' | 'portable')[] {
  const wanted = (process.env['CODE_EXECUTOR_TEST_ISOLATION'] ?? 'strict,portable').split(',');
  return (['strict', 'portable'] as const).filter((mode) => wanted.includes(mode));
}
