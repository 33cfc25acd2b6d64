import { type JsonObject, type JsonSchema, type ToolHit } from '@code-executor/contracts';
import { pythonParametersOf } from '@code-executor/schema-types';

/** Of a tool with more, arguments have the names that they have. */
const maxProperties = 1000;

/**
 * Keyword arguments under the names of the tool's own properties: `page_size` is `page-size` and `from_` is
 * `from`, as signatures show them. A property's own name is always that property.
 */
export function withOwnNames(args: JsonObject, { parameters = {} }: Pick<ToolHit, 'parameters'>): JsonObject {
  const properties = propertiesOf(parameters);
  const isOwn = (name: string) => properties.has(name);
  if (Object.keys(args).every(isOwn) || properties.size > maxProperties) return args;
  const owners = new Map([...pythonParametersOf(properties)].map(([property, name]) => [name, property]));
  const entries = Object.entries(args).map(([name, value]) => {
    const owner = isOwn(name) ? undefined : owners.get(name);
    return [owner !== undefined && !Object.hasOwn(args, owner) ? owner : name, value];
  });
  return Object.fromEntries(entries) as JsonObject;
}

/** The described ones and those that are only required: signatures show both. */
function propertiesOf({ properties, required }: JsonSchema): ReadonlySet<string> {
  const described = typeof properties === 'object' && properties !== null ? Object.keys(properties) : [];
  const demanded = Array.isArray(required) ? required.filter((name) => typeof name === 'string') : [];
  return new Set([...described, ...demanded]);
}
