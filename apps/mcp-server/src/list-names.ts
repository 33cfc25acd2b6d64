/** As many names as fit in `maxChars`, but at least one, and how many more there are; empty without names. */
export function listNames(names: readonly string[], maxChars: number): string {
  let shown = 0;
  for (let chars = 0; shown < names.length; shown++) {
    chars += (names[shown] ?? '').length + 2;
    if (shown > 0 && chars > maxChars) break;
  }
  const more = names.length - shown;
  return `${names.slice(0, shown).join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}
