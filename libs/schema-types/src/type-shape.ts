/** How much of a type is written; the rest becomes a `…`. */
export interface TypeShape {
  /** The nesting depth of objects. */
  maxDepth: number;
  /** The number of alternatives of a union. */
  maxMembers: number;
  /** The number of properties of an object, or of parameters of a call. */
  maxProperties: number;
}

/** The shape that leaves nothing out. */
export const wholeType: TypeShape = { maxDepth: Infinity, maxMembers: Infinity, maxProperties: Infinity };

/** The maximum length of one type in characters; the rest becomes unknown. */
export const maxTypeChars = 100_000;

/** The first parts, followed by a `…` if there are more. */
export function shortened(parts: readonly string[], max: number): string[] {
  return parts.length > max ? [...parts.slice(0, max), '…'] : [...parts];
}
