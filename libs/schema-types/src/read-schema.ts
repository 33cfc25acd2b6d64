import { intersectionOf, unionOf } from './combine-types.js';
import { isObject, localReference } from './local-reference.js';
import { oneLine } from './third-party-text.js';
import { neverType, nullType, type ObjectNode, type TypeNode, unknownType } from './type-node.js';

const maxDepth = 20;
const maxNodes = 2_000;
const maxAlternatives = 500;
const maxKeyChars = 200;
const maxLiteralChars = 200;
/** Limit for all literals together, because references can repeat the same ones a thousand times. */
const maxCharsOfLiterals = 50_000;
const maxDefaultChars = 80;

/**
 * Reads a JSON Schema (draft-07, 2020-12) as a type. Limited in depth and size: anything beyond the limits, loops, and
 * anything that is not understood become `unknown`. Nothing outside the schema is read.
 */
export function readSchema(schema: unknown): TypeNode {
  return new SchemaReader(schema).read(schema, 0, []);
}

class SchemaReader {
  readonly #root: unknown;
  #nodesLeft = maxNodes;
  #literalCharsLeft = maxCharsOfLiterals;
  readonly #spend = () => this.#nodesLeft-- > 0;

  constructor(root: unknown) {
    this.#root = root;
  }

  /** `path` is the references that led here; a repeated one is a loop. */
  read(schema: unknown, depth: number, path: readonly string[]): TypeNode {
    if (schema === false) return neverType;
    if (!isObject(schema) || depth > maxDepth || !this.#spend()) return unknownType;
    const read = (inner: unknown) => this.read(inner, depth + 1, path);
    let type = this.#readReference(schema['$ref'], depth, path);
    const also = (other: TypeNode) => {
      type = intersectionOf(type, other, this.#spend);
    };
    also(this.#readOwn(schema, read));
    for (const part of listOf(schema['allOf']).slice(0, maxAlternatives)) also(read(part));
    for (const keyword of ['anyOf', 'oneOf']) {
      const alternatives = listOf(schema[keyword]);
      if (alternatives.length === 0 || alternatives.length > maxAlternatives) continue;
      also(unionOf(alternatives.map(read)));
    }
    return schema['nullable'] === true ? unionOf([type, nullType]) : type;
  }

  #readReference(reference: unknown, depth: number, path: readonly string[]): TypeNode {
    if (typeof reference !== 'string' || path.includes(reference)) return unknownType;
    const found = localReference(this.#root, reference);
    if (!found) return unknownType;
    const type = this.read(found.target, depth + 1, [...path, reference]);
    return type.kind === 'object' && found.name !== '' ? { ...type, name: found.name } : type;
  }

  /** The type from the schema's own keywords, without the schemas that it combines. */
  #readOwn(schema: Record<string, unknown>, read: (inner: unknown) => TypeNode): TypeNode {
    const values = Object.hasOwn(schema, 'const') ? [schema['const']] : listOf(schema['enum']);
    if (values.length > 0 && values.length <= maxAlternatives) {
      const literals = unionOf(values.map((value) => this.#literal(value)));
      if (literals.kind !== 'unknown') return literals;
    }
    const types = typesOf(schema);
    // JSON Schema has seven types.
    if (types.length === 0 || types.length > 7) return unknownType;
    return unionOf(types.map((type) => this.#readType(type, schema, read)));
  }

  /** The value as a literal type, or its kind if there is no room for more literals. */
  #literal(value: unknown): TypeNode {
    this.#literalCharsLeft -= 8 + (typeof value === 'string' ? value.length : 0);
    const literal = literalOf(value);
    if (literal.kind !== 'literal' || this.#literalCharsLeft > 0) return literal;
    const { value: known } = literal;
    return { kind: typeof known === 'string' ? 'string' : typeof known === 'number' ? 'number' : 'boolean' };
  }

  #readType(type: unknown, schema: Record<string, unknown>, read: (inner: unknown) => TypeNode): TypeNode {
    switch (type) {
      case 'string':
      case 'number':
      case 'integer':
      case 'boolean':
      case 'null':
        return { kind: type };
      case 'array':
        return this.#readArray(schema, read);
      case 'object':
        return this.#readObject(schema, read);
      default:
        return unknownType;
    }
  }

  #readArray(schema: Record<string, unknown>, read: (inner: unknown) => TypeNode): TypeNode {
    const isOld = Array.isArray(schema['items']);
    const first = listOf(isOld ? schema['items'] : schema['prefixItems']);
    const rest = isOld ? schema['additionalItems'] : schema['items'];
    if (first.length === 0 || first.length > maxAlternatives) {
      return { kind: 'array', items: isOld || rest === undefined ? unknownType : read(rest) };
    }
    const items = first.map(read);
    // Without `minItems`, JSON Schema allows all items to be absent, but authors of a tuple rarely mean that.
    const least = schema['minItems'];
    const required =
      typeof least === 'number' && least < items.length ? Math.max(0, Math.ceil(least)) : items.length;
    const isClosed = rest === false || rest === undefined;
    return { kind: 'tuple', items, required, ...(!isClosed && { rest: read(rest) }) };
  }

  #readObject(schema: Record<string, unknown>, read: (inner: unknown) => TypeNode): ObjectNode {
    const object: ObjectNode = { kind: 'object', properties: new Map() };
    const given = schema['properties'];
    const keys = isObject(given) ? Object.keys(given) : [];
    const demanded = listOf(schema['required']);
    // Alternatives beyond the limit are not even read.
    const required = new Set(demanded.slice(0, maxNodes).filter((key) => typeof key === 'string'));
    const entries = new Map<string, unknown>(
      isObject(given) ? keys.slice(0, maxNodes).map((key) => [key, given[key]]) : [],
    );
    for (const key of required) if (!entries.has(key)) entries.set(key, true);
    let isCut = keys.length > maxNodes || demanded.length > maxNodes;
    for (const [key, property] of entries) {
      if (this.#nodesLeft <= 0 || key.length > maxKeyChars) isCut = true;
      else {
        // Required properties without a description count, too.
        if (property === true) this.#spend();
        object.properties.set(key, {
          type: read(property),
          isRequired: required.has(key),
          note: noteOf(property),
        });
      }
    }
    const rest = isCut ? unknownType : this.#readRest(schema, entries.size > 0 || isObject(given), read);
    if (rest) object.rest = rest;
    return object;
  }

  #readRest(
    schema: Record<string, unknown>,
    isDescribed: boolean,
    read: (inner: unknown) => TypeNode,
  ): TypeNode | undefined {
    const { additionalProperties: additional, patternProperties: patterns } = schema;
    const byPattern = isObject(patterns) ? Object.values(patterns).slice(0, maxAlternatives) : [];
    const says = additional !== undefined || byPattern.length > 0;
    if (!says) return isDescribed ? undefined : unknownType;
    return unionOf([...byPattern.map(read), additional === undefined ? neverType : read(additional)]);
  }
}

function listOf(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}

/** The types that the schema names, or the type that its keywords imply. */
function typesOf(schema: Record<string, unknown>): unknown[] {
  const type = schema['type'];
  if (typeof type === 'string') return [type];
  if (Array.isArray(type)) return [...new Set<unknown>(type)];
  const has = (...keywords: string[]) => keywords.some((keyword) => Object.hasOwn(schema, keyword));
  if (has('properties', 'required', 'additionalProperties', 'patternProperties')) return ['object'];
  return has('items', 'prefixItems') ? ['array'] : [];
}

function literalOf(value: unknown): TypeNode {
  if (value === null) return nullType;
  switch (typeof value) {
    case 'string':
      return value.length > maxLiteralChars ? { kind: 'string' } : { kind: 'literal', value };
    case 'number':
      return Number.isFinite(value) ? { kind: 'literal', value } : { kind: 'number' };
    case 'boolean':
      return { kind: 'literal', value };
    default:
      return unknownType;
  }
}

/** A note about the property besides its type. */
function noteOf(schema: unknown): string {
  if (!isObject(schema)) return '';
  const format = oneLine(schema['format'], maxDefaultChars);
  const usual = plainDefault(schema['default']);
  return [
    oneLine(schema['description']),
    format && `Format: ${format}.`,
    usual !== '' && `Default: ${usual}.`,
  ]
    .filter(Boolean)
    .join(' ');
}

/** A default that fits on a line; nested values are not written out. */
function plainDefault(value: unknown): string {
  if (value === undefined) return '';
  if (Array.isArray(value)) return value.length === 0 ? '[]' : '';
  if (isObject(value)) return Object.keys(value).length === 0 ? '{}' : '';
  return JSON.stringify(typeof value === 'string' ? oneLine(value, maxDefaultChars) : value);
}
