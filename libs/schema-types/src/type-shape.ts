/** How much of a type is written; what is left out is a `…`. */
export interface TypeShape {
  /** Objects inside objects. */
  maxDepth: number;
  /** Alternatives of a union. */
  maxMembers: number;
  /** Properties of an object, or parameters of a call. */
  maxProperties: number;
}

/** Everything. */
export const wholeType: TypeShape = { maxDepth: Infinity, maxMembers: Infinity, maxProperties: Infinity };

/** Characters that one type may take; what comes after them is unknown. */
export const maxTypeChars = 100_000;

/** The first of the parts, and a mark if there are more. */
export function shortened(parts: readonly string[], max: number): string[] {
  return parts.length > max ? [...parts.slice(0, max), '…'] : [...parts];
}
