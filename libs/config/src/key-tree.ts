import * as z from 'zod';

/** What the schema says about one place in the configuration, in words of JSON Schema. */
export interface KeyNode {
  type?: string;
  description?: string;
  env?: string;
  note?: string;
  properties?: Record<string, KeyNode>;
  additionalProperties?: KeyNode | false;
  items?: KeyNode;
  anyOf?: KeyNode[];
  enum?: string[];
  const?: number;
  minimum?: number;
  maximum?: number;
  minLength?: number;
}

/**
 * The tree of a schema. Every start makes it, and for that the library's own conversion to JSON Schema takes too long: it
 * covers all that a schema can say, and ours say little.
 */
export function keyTree(schema: z.core.$ZodType): KeyNode {
  if (schema instanceof z.ZodExactOptional) return keyTree(schema.unwrap());
  const said = z.globalRegistry.get(schema) as Pick<KeyNode, 'description' | 'env' | 'note'> | undefined;
  return { ...shapeOf(schema), ...said };
}

function shapeOf(schema: z.core.$ZodType): KeyNode {
  if (schema instanceof z.ZodObject) {
    const shape = Object.entries<z.core.$ZodType>(schema.shape);
    const properties = Object.fromEntries(shape.map(([key, each]) => [key, keyTree(each)]));
    return { type: 'object', properties, additionalProperties: false };
  }
  if (schema instanceof z.ZodRecord)
    return { type: 'object', additionalProperties: keyTree(schema.valueType) };
  if (schema instanceof z.ZodArray) return { type: 'array', items: keyTree(schema.element) };
  if (schema instanceof z.ZodUnion) return { anyOf: schema.options.map(keyTree) };
  if (schema instanceof z.ZodEnum) return { type: 'string', enum: schema.options as string[] };
  if (schema instanceof z.ZodLiteral) return { type: 'number', const: schema.value as number };
  if (schema instanceof z.ZodBoolean) return { type: 'boolean' };
  if (schema instanceof z.ZodNumber) {
    return { type: 'integer', minimum: schema.minValue ?? -Infinity, maximum: schema.maxValue ?? Infinity };
  }
  if (schema instanceof z.ZodString || schema instanceof z.ZodStringFormat) {
    return { type: 'string', ...(schema.minLength !== null && { minLength: schema.minLength }) };
  }
  throw new Error(`The tree of keys has no word for the type ${schema._zod.def.type}.`);
}
