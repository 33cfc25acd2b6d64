const maxNamed = 10;

/** What there is to choose from, for a message: `there are a, b and 3 more`. */
export function whatThereIs(names: readonly string[]): string {
  if (names.length === 0) return 'there is none';
  const more = names.length > maxNamed ? ` and ${names.length - maxNamed} more` : '';
  return `there ${names.length === 1 ? 'is' : 'are'} ${names.slice(0, maxNamed).join(', ')}${more}`;
}
