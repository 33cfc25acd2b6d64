/** A language-independent type; a schema is read into it once, with limits, and every language is written from it. */
export type TypeNode =
  | { kind: 'unknown' | 'never' | 'string' | 'number' | 'integer' | 'boolean' | 'null' }
  | { kind: 'literal'; value: string | number | boolean }
  | { kind: 'array'; items: TypeNode }
  /** The first `required` items are always present; `rest` is the type of further items. */
  | { kind: 'tuple'; items: TypeNode[]; required: number; rest?: TypeNode }
  | ObjectNode
  | { kind: 'union'; members: TypeNode[] };

export interface ObjectNode {
  kind: 'object';
  /** Its name in the schema, if it was reached by `$ref`. */
  name?: string;
  properties: Map<string, PropertyNode>;
  /** The type of further properties; `never` if there can be none, absent if the schema does not say. */
  rest?: TypeNode;
}

export interface PropertyNode {
  type: TypeNode;
  isRequired: boolean;
  /** Description, default and format in one line of third-party text, not escaped yet; may be empty. */
  note: string;
}

export const unknownType: TypeNode = { kind: 'unknown' };
export const neverType: TypeNode = { kind: 'never' };
export const nullType: TypeNode = { kind: 'null' };
