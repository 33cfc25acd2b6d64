import { identifierOf, type JsonObject, type ToolHit } from '@code-executor/contracts';

/** Of a tool with more, arguments have the names that they have. */
const maxProperties = 1000;

/** What can be a keyword parameter; words of the language get a `_`. */
const legalName = /^[A-Za-z_][A-Za-z0-9_]{0,79}$/;

/**
 * Keyword arguments under the names of the tool's own properties: `page_size` is `page-size` and `from_` is
 * `from`, where no property is called as the argument is.
 */
export function withOwnNames(args: JsonObject, { parameters = {} }: Pick<ToolHit, 'parameters'>): JsonObject {
  const properties = namesIn(parameters['properties']);
  const unknown = Object.keys(args).filter((name) => !properties.has(name));
  if (unknown.length === 0 || properties.size > maxProperties) return args;
  const owners = new Map<string, string[]>();
  for (const property of properties) {
    const parameter = legalName.test(property) ? `${property}_` : identifierOf(property, 'snake_case');
    owners.set(parameter, [...(owners.get(parameter) ?? []), property]);
  }
  const entries = Object.entries(args).map(([name, value]) => {
    const [owner, another] = properties.has(name) ? [] : (owners.get(name) ?? []);
    const isMeant = owner !== undefined && another === undefined && !Object.hasOwn(args, owner);
    return [isMeant ? owner : name, value];
  });
  return Object.fromEntries(entries) as JsonObject;
}

function namesIn(properties: unknown): ReadonlySet<string> {
  return new Set(typeof properties === 'object' && properties !== null ? Object.keys(properties) : []);
}
