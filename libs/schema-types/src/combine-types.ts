import { neverType, type ObjectNode, type TypeNode, unknownType } from './type-node.js';

/** The kinds whose types are all equal. */
const simpleKinds = new Set<string>(['string', 'number', 'integer', 'boolean', 'null']);

/** If two unions have more pairs of members than this, the first one is used for both. */
const maxPairs = 2_000;

/** A union of the types; duplicates inside are removed when it is written. */
export function unionOf(types: readonly TypeNode[]): TypeNode {
  const members = types.flatMap((type) => (type.kind === 'union' ? type.members : [type]));
  if (members.some((member) => member.kind === 'unknown')) return unknownType;
  const seen = new Set<string>(['never']);
  const possible = members.filter(({ kind }) => {
    if (kind !== 'never' && !simpleKinds.has(kind)) return true;
    return !seen.has(kind) && seen.add(kind);
  });
  const [only] = possible;
  if (only === undefined) return neverType;
  return possible.length === 1 ? only : { kind: 'union', members: possible };
}

/**
 * The intersection of two types. `spend` is called before each step and says when the budget is used up; the result is
 * then wider than it could be, but never narrower.
 */
export function intersectionOf(a: TypeNode, b: TypeNode, spend: () => boolean): TypeNode {
  if (a.kind === 'unknown' || a === b) return b;
  if (b.kind === 'unknown' || !spend()) return a;
  if (a.kind === 'union' || b.kind === 'union') {
    const left = a.kind === 'union' ? a.members : [a];
    const right = b.kind === 'union' ? b.members : [b];
    // Checked first, because pairs are created even when the budget is used up.
    if (left.length * right.length > maxPairs) return a;
    return unionOf(left.flatMap((one) => right.map((other) => intersectionOf(one, other, spend))));
  }
  if (a.kind === 'object' && b.kind === 'object') return mergedObject(a, b, spend);
  if (a.kind === 'array' && b.kind === 'array') {
    return { kind: 'array', items: intersectionOf(a.items, b.items, spend) };
  }
  if (a.kind === 'literal' && b.kind === 'literal') return a.value === b.value ? a : neverType;
  if (isOf(a, b)) return a;
  return isOf(b, a) ? b : neverType;
}

/** Whether the first type is a special case of the second: 5 of an integer, an integer of a number, a tuple of an array. */
function isOf(a: TypeNode, b: TypeNode): boolean {
  if (a.kind === b.kind) return true;
  if (a.kind === 'tuple') return b.kind === 'array';
  if (a.kind === 'integer') return b.kind === 'number';
  if (a.kind !== 'literal') return false;
  if (b.kind === 'integer') return Number.isInteger(a.value);
  return b.kind === typeof a.value;
}

function mergedObject(a: ObjectNode, b: ObjectNode, spend: () => boolean): ObjectNode {
  const properties = new Map(a.properties);
  for (const [key, property] of b.properties) {
    const other = properties.get(key);
    properties.set(
      key,
      other === undefined
        ? property
        : {
            type: intersectionOf(other.type, property.type, spend),
            isRequired: other.isRequired || property.isRequired,
            note: other.note || property.note,
          },
    );
  }
  const merged: ObjectNode = { kind: 'object', properties };
  const name = a.name ?? b.name;
  if (name !== undefined) merged.name = name;
  const rest = mergedRest(a.rest, b.rest);
  if (rest !== undefined) merged.rest = rest;
  return merged;
}

/** The type of further properties, from whichever object restricts it; they may be anything only if both allow it. */
function mergedRest(a: TypeNode | undefined, b: TypeNode | undefined): TypeNode | undefined {
  const said = [a, b].find((rest) => rest !== undefined && rest.kind !== 'unknown');
  return said ?? (a && b);
}
