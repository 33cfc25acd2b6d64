/** The code of an error of the operating system or of Node, such as `ENOENT`; undefined for anything else. */
export function systemCodeOf(error: unknown): string | undefined {
  // Not `instanceof Error`: it may come from another realm.
  const code = typeof error === 'object' && error !== null && 'code' in error ? error.code : undefined;
  return typeof code === 'string' ? code : undefined;
}
