import { readSchema } from './read-schema.js';
import { neverType, type ObjectNode, type PropertyNode, type TypeNode, unknownType } from './type-node.js';
import { unionOf } from './combine-types.js';

/** The arguments of a tool: always an object, or a union of objects. */
export function readArguments(schema: unknown): TypeNode {
  const type = readSchema(schema);
  const isObject = ({ kind }: TypeNode) => kind === 'object';
  if (isObject(type) || (type.kind === 'union' && type.members.every(isObject))) return type;
  return { kind: 'object', properties: new Map(), rest: unknownType };
}

/** One object that covers all of them: properties that not all require or know are optional. */
export function asOneObject(type: TypeNode): ObjectNode {
  const objects = (type.kind === 'union' ? type.members : [type]).filter(
    (member) => member.kind === 'object',
  );
  const [first = { kind: 'object', properties: new Map() }, ...others] = objects;
  if (others.length === 0) return first;
  const properties = new Map<string, PropertyNode>();
  for (const key of new Set(objects.flatMap((object) => [...object.properties.keys()]))) {
    const found = objects.flatMap((object) => object.properties.get(key) ?? []);
    properties.set(key, {
      type: unionOf(found.map((property) => property.type)),
      isRequired: found.length === objects.length && found.every((property) => property.isRequired),
      note: found.map((property) => property.note).find(Boolean) ?? '',
    });
  }
  const rest = unionOf(objects.map((object) => object.rest ?? neverType));
  return { kind: 'object', properties, ...(rest.kind !== 'never' && { rest }) };
}

/** Whether a call without arguments is valid. */
export function needsNothing(type: TypeNode): boolean {
  if (type.kind === 'union') return type.members.some(needsNothing);
  return type.kind === 'object' && [...type.properties.values()].every((property) => !property.isRequired);
}
