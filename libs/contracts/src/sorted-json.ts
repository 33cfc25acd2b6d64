/** JSON in which equal values are equal texts: the order of an object's members, which means nothing, is always the same. */
export function sortedJson(value: unknown): string {
  return JSON.stringify(value, (_key, member: unknown) =>
    typeof member === 'object' && member !== null && !Array.isArray(member) ? sorted(member) : member,
  );
}

function sorted(members: object): object {
  return Object.fromEntries(Object.entries(members).sort(([a], [b]) => (a < b ? -1 : 1)));
}
