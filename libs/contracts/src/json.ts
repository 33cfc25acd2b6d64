/** Any value that JSON can carry. */
export type JsonValue = string | number | boolean | null | JsonValue[] | JsonObject;
/** A JSON object. */
export interface JsonObject {
  [key: string]: JsonValue;
}
/** A JSON Schema as upstream servers publish it: an object, draft-07 or 2020-12, not checked. */
export type JsonSchema = Record<string, unknown>;
