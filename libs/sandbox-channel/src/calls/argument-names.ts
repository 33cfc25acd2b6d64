import { type JsonObject, type JsonSchema, type ToolHit } from '@code-executor/contracts';
import { pythonParametersOf } from '@code-executor/schema-types';

/** For tools with more properties, the names of arguments are not changed. */
const maxProperties = 1000;

/**
 * Renames keyword arguments to the tool's own property names: `page_size` becomes `page-size` and `from_` becomes
 * `from`, as signatures show them. A name that is itself a property stays as it is.
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

/** The described properties and those that are only required, because signatures show both. */
function propertiesOf({ properties, required }: JsonSchema): ReadonlySet<string> {
  const described = typeof properties === 'object' && properties !== null ? Object.keys(properties) : [];
  const demanded = Array.isArray(required) ? required.filter((name) => typeof name === 'string') : [];
  return new Set([...described, ...demanded]);
}
