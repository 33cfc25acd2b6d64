const maxNamed = 10;

/** The names to choose from, for a message: `configured: a, b and 3 more`. */
export function configuredNames(names: readonly string[]): string {
  if (names.length === 0) return 'none is configured';
  const more = names.length > maxNamed ? ` and ${names.length - maxNamed} more` : '';
  return `configured: ${names.slice(0, maxNamed).join(', ')}${more}`;
}
