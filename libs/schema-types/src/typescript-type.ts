import { readSchema } from './read-schema.js';
import { docComment, typeScriptLiteral } from './third-party-text.js';
import type { ObjectNode, TypeNode } from './type-node.js';
import { maxTypeChars, shortened, type TypeShape, wholeType } from './type-shape.js';

const plainKey = /^[A-Za-z_$][\w$]*$/;

/**
 * A JSON Schema as a TypeScript type on one line: `{ title: string; labels?: string[] }`. Reads nothing but the schema,
 * takes limited time, and never throws: anything that is not understood becomes `unknown`.
 */
export function schemaToTypeScript(schema: unknown): string {
  return new TypeScriptWriter().write(readSchema(schema));
}

/** Writes types on one line or, with `isDocumented`, each property on its own line with a comment before it. */
export class TypeScriptWriter {
  readonly #shape: TypeShape;
  readonly #isDocumented: boolean;
  #charsLeft = maxTypeChars;

  constructor(shape = wholeType, isDocumented = false) {
    this.#shape = shape;
    this.#isDocumented = isDocumented;
  }

  /** The type as it appears after a colon. `indent` is the indentation of its line. */
  write(type: TypeNode, indent = '', depth = 0): string {
    if (this.#charsLeft <= 0) return 'unknown';
    switch (type.kind) {
      case 'integer':
        return this.#spent('number');
      case 'literal':
        return this.#spent(
          typeof type.value === 'string' ? typeScriptLiteral(type.value) : String(type.value),
        );
      case 'array':
        return arrayOf(this.write(type.items, indent, depth));
      case 'tuple': {
        const items = type.items.map((item, index) => {
          const text = this.write(item, indent, depth);
          return index < type.required ? text : `${isOneWord(text) ? text : `(${text})`}?`;
        });
        if (type.rest) items.push(`...${arrayOf(this.write(type.rest, indent, depth))}`);
        return `[${shortened(items, this.#shape.maxMembers).join(', ')}]`;
      }
      case 'object':
        return this.#object(type, indent, depth);
      case 'union': {
        const members = new Set(type.members.map((member) => this.write(member, indent, depth)));
        return members.has('unknown')
          ? 'unknown'
          : shortened([...members], this.#shape.maxMembers).join(' | ');
      }
      default:
        return this.#spent(type.kind);
    }
  }

  #object({ properties, rest }: ObjectNode, indent: string, depth: number): string {
    const inner = `${indent}  `;
    if (properties.size === 0) {
      if (rest?.kind === 'never') return this.#spent('Record<string, never>');
      return this.#spent(`Record<string, ${rest ? this.write(rest, indent, depth) : 'unknown'}>`);
    }
    if (depth >= this.#shape.maxDepth) return '{…}';
    const lines: string[] = [];
    let isOpen = rest !== undefined && rest.kind !== 'never';
    // If there is not enough room for all, the required ones come first.
    const order =
      properties.size > this.#shape.maxProperties
        ? [...properties].sort(([, a], [, b]) => Number(b.isRequired) - Number(a.isRequired))
        : properties;
    for (const [key, { type, isRequired, note }] of order) {
      if (this.#charsLeft <= 0) {
        isOpen = true;
        break;
      }
      const name = this.#spent(plainKey.test(key) ? key : typeScriptLiteral(key));
      const doc = this.#isDocumented && note ? `${this.#spent(docComment([note], inner))}\n` : '';
      const line = `${name}${isRequired ? '' : '?'}: ${this.write(type, inner, depth + 1)}`;
      lines.push(this.#isDocumented ? `${doc}${inner}${line};` : line);
    }
    // `unknown`, because TypeScript requires the named properties to have that type, too.
    if (isOpen) lines.push(this.#isDocumented ? `${inner}[key: string]: unknown;` : '[key: string]: unknown');
    if (this.#isDocumented) return `{\n${lines.join('\n')}\n${indent}}`;
    return `{ ${shortened(lines, this.#shape.maxProperties).join('; ')} }`;
  }

  #spent(text: string): string {
    this.#charsLeft -= text.length + 4;
    return text;
  }
}

function arrayOf(item: string): string {
  return isOneWord(item) ? `${item}[]` : `Array<${item}>`;
}

function isOneWord(type: string): boolean {
  return /^\w+(\[\])*$/.test(type) || (type.startsWith('{') && type.endsWith('}') && !type.includes(' | '));
}
