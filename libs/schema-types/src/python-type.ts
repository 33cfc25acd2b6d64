import { identifierOf } from './identifier.js';

import { unionOf } from './combine-types.js';
import { isField } from './python-names.js';
import { readSchema } from './read-schema.js';
import { docString, pythonLiteral } from './third-party-text.js';
import type { ObjectNode, PropertyNode, TypeNode } from './type-node.js';
import { maxTypeChars, shortened, type TypeShape, wholeType } from './type-shape.js';

/** A type as text, and the classes that must precede it. */
export interface PythonType {
  type: string;
  /** `TypedDict` classes, each after those that it uses; empty if the type needs none. */
  declarations: string;
}

/**
 * A JSON Schema as a Python type: objects become `TypedDict` classes, whose names begin with `className`. The code needs
 * `Any, Literal, Never, NotRequired, TypedDict` of `typing`. Limited like `schemaToTypeScript`; anything that is not
 * understood becomes `Any`.
 */
export function schemaToPython(schema: unknown, className: string): PythonType {
  const writer = new PythonWriter();
  const type = writer.write(readSchema(schema), className);
  return { type, declarations: writer.takeDeclarations() };
}

const stringLiteral = /"(?:\\.|[^"\\])*"/g;
const typingName = /\b(?:Any|Literal|Never|NotRequired)\b/g;

/** Writes types; objects become classes. Each module needs one writer, so that class names are unique. */
export class PythonWriter {
  #charsLeft = maxTypeChars;
  #declarations: string[] = [];
  readonly #taken = new Set<string>();
  /** The classes by their content; inner ones are shared because servers repeat them. */
  readonly #classes = new Map<string, string>();

  /** The names of `typing` in the types that were passed to {@link use}. */
  readonly typing = new Set<string>();

  /** Records the names of `typing` that the type needs, and returns the type. */
  use(type: string): string {
    for (const [name] of type.replace(stringLiteral, '').matchAll(typingName)) this.typing.add(name);
    return type;
  }

  /** The type as text; `className` is the name of its class if it is an object. */
  write(type: TypeNode, className: string, isInner = false): string {
    if (this.#charsLeft <= 0) return 'Any';
    switch (type.kind) {
      case 'array':
        return `list[${this.write(type.items, className, true)}]`;
      case 'tuple':
        return `list[${this.write(itemOf(type), className, true)}]`;
      case 'union':
        return this.#union(type.members, className);
      case 'object':
        return this.#object(type, className, isInner);
      default:
        return this.#spent(simpleType(type));
    }
  }

  /** The classes that were declared since the last call. */
  takeDeclarations(): string {
    const text = this.#declarations.join('\n\n\n');
    this.#declarations = [];
    this.#charsLeft = maxTypeChars;
    return text;
  }

  #union(members: readonly TypeNode[], className: string): string {
    return unionText(
      members.map((member, index) =>
        this.write(member, index === 0 ? className : `${className}${index + 1}`, true),
      ),
    );
  }

  #object({ name, properties, rest }: ObjectNode, className: string, isInner: boolean): string {
    if (properties.size === 0) {
      const isKnown = rest !== undefined && rest.kind !== 'never';
      return this.#spent(`dict[str, ${isKnown ? this.write(rest, className, true) : 'Any'}]`);
    }
    const own = name === undefined ? className : `${className}${identifierOf(name, 'PascalCase')}`;
    const fields: [key: string, type: string, note: string][] = [];
    for (const [key, { type, isRequired, note }] of properties) {
      if (this.#charsLeft <= 0) break;
      // A TypedDict cannot declare further properties.
      if (key === '') continue;
      const text = this.write(type, `${own.slice(0, 200)}${identifierOf(key, 'PascalCase')}`, true);
      this.#spent(key + note);
      fields.push([key, this.use(isRequired ? text : `NotRequired[${text}]`), note]);
    }
    if (fields.length === 0) return this.#spent('dict[str, Any]');
    const body = JSON.stringify(fields);
    const existing = this.#classes.get(body);
    if (isInner && existing !== undefined) return existing;
    const unique = this.#uniqueName(own);
    this.#classes.set(body, unique);
    this.typing.add('TypedDict');
    this.#declarations.push(declaration(unique, fields));
    return unique;
  }

  #uniqueName(name: string): string {
    let unique = name;
    for (let number = 2; this.#taken.has(unique); number++) unique = `${name}_${number}`;
    this.#taken.add(unique);
    return unique;
  }

  #spent(text: string): string {
    this.#charsLeft -= text.length + 4;
    return text;
  }
}

function declaration(name: string, fields: readonly [key: string, type: string, note: string][]): string {
  const notes = fields.filter(([, , note]) => note).map(([key, , note]) => `${keyText(key)}: ${note}`);
  if (fields.every(([key]) => isField(key))) {
    const doc = notes.length > 0 ? [docString(notes, '    '), ''] : [];
    return [`class ${name}(TypedDict):`, ...doc, ...fields.map(([key, type]) => `    ${key}: ${type}`)].join(
      '\n',
    );
  }
  const lines = fields.map(([key, type]) => `        ${pythonLiteral(key)}: ${type},`);
  const doc = notes.length > 0 ? [docString(notes)] : [];
  return [`${name} = TypedDict(`, `    "${name}",`, '    {', ...lines, '    },', ')', ...doc].join('\n');
}

/** A key as it appears in a comment, where it must not start a new line. */
export function keyText(key: string): string {
  return isField(key) ? key : pythonLiteral(key);
}

/** A type on one line without classes, for people and agents to read: `{owner: str, labels?: list[str]}`. */
export function shortPythonType(type: TypeNode, shape: TypeShape = wholeType, depth = 0): string {
  const write = (inner: TypeNode) => shortPythonType(inner, shape, depth);
  switch (type.kind) {
    case 'array':
      return `list[${write(type.items)}]`;
    case 'tuple':
      return `list[${write(itemOf(type))}]`;
    case 'union':
      return unionText(type.members.map(write), shape.maxMembers);
    case 'object': {
      if (type.properties.size === 0) {
        return `dict[str, ${type.rest && type.rest.kind !== 'never' ? write(type.rest) : 'Any'}]`;
      }
      if (depth >= shape.maxDepth) return '{…}';
      const field = ([key, property]: [string, PropertyNode]) =>
        `${keyText(key)}${property.isRequired ? '' : '?'}: ${shortPythonType(property.type, shape, depth + 1)}`;
      return `{${shortened([...type.properties].map(field), shape.maxProperties).join(', ')}}`;
    }
    default:
      return simpleType(type);
  }
}

/** JSON arrays become lists, never tuples, so any item may have any of the types. */
function itemOf({ items, rest }: { items: readonly TypeNode[]; rest?: TypeNode }): TypeNode {
  return unionOf(rest ? [...items, rest] : items);
}

function simpleType(type: Exclude<TypeNode, { kind: 'array' | 'tuple' | 'union' | 'object' }>): string {
  switch (type.kind) {
    case 'string':
      return 'str';
    case 'integer':
      return 'int';
    case 'number':
      return 'float';
    case 'boolean':
      return 'bool';
    case 'null':
      return 'None';
    case 'never':
      return 'Never';
    case 'unknown':
      return 'Any';
    case 'literal':
      return literalType(type.value);
  }
}

function literalType(value: string | number | boolean): string {
  if (typeof value === 'string') return `Literal[${pythonLiteral(value)}]`;
  if (typeof value === 'boolean') return value ? 'Literal[True]' : 'Literal[False]';
  if (Number.isSafeInteger(value)) return `Literal[${String(value)}]`;
  return Number.isInteger(value) ? 'int' : 'float';
}

const literal = /^Literal\[(.*)\]$/s;

/** A union with each member once and the literals combined; if one member is `Any`, so is the union. */
function unionText(members: readonly string[], max = Infinity): string {
  const all = [...new Set(members)];
  if (all.includes('Any')) return 'Any';
  const values = all.flatMap((member) => literal.exec(member)?.[1] ?? []);
  const others = all.filter((member) => !literal.test(member));
  const together = values.length > 0 ? [`Literal[${shortened(values, max).join(', ')}]`] : [];
  return [...together, ...shortened(others, max)].join(' | ');
}
