/** A type as both languages know it; what a schema says is read into it once, bounded, and written from there. */
export type TypeNode =
  | { kind: 'unknown' | 'never' | 'string' | 'number' | 'integer' | 'boolean' | 'null' }
  | { kind: 'literal'; value: string | number | boolean }
  | { kind: 'array'; items: TypeNode }
  /** `required` of the items are always there; `rest` is the type of what may follow. */
  | { kind: 'tuple'; items: TypeNode[]; required: number; rest?: TypeNode }
  | ObjectNode
  | { kind: 'union'; members: TypeNode[] };

export interface ObjectNode {
  kind: 'object';
  /** What the schema calls it, where it was reached by `$ref`. */
  name?: string;
  properties: Map<string, PropertyNode>;
  /** The type of further properties; `never` where there are none, absent where the schema does not say. */
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
