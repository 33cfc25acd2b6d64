/** The path from the top of a file to one value. */
export type KeyPath = readonly PropertyKey[];

/** `security.allowRead[2]`; names that are not plain words are quoted and shortened. */
export function dotted(path: KeyPath): string {
  if (path.length === 0) return 'the top level';
  return path.map((segment, index) => oneSegment(segment, index === 0)).join('');
}

function oneSegment(segment: PropertyKey, isFirst: boolean): string {
  if (typeof segment === 'number') return `[${segment}]`;
  const name = String(segment);
  const plain = /^[\w<>$-]{1,128}$/.test(name) ? name : shorten(name);
  return isFirst ? plain : `.${plain}`;
}

/** A string in quotes, without control characters and shortened to a line. */
export function shorten(value: string): string {
  return JSON.stringify(value.length > 60 ? `${value.slice(0, 60)}…` : value);
}
