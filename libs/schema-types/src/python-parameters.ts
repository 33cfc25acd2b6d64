import { identifierOf } from '@code-executor/contracts';

/** Words that no parameter can be called; `_call_tool` is what generated modules call. */
const reserved = new Set(
  'False None True and as assert async await break class continue def del elif else except finally for from global if import in is lambda nonlocal not or pass raise return try while with yield __debug__ _call_tool'.split(
    ' ',
  ),
);
const legalName = /^[A-Za-z_][A-Za-z0-9_]{0,79}$/;

/**
 * The name of the keyword parameter for each property, no two alike: its own where Python allows that, with a
 * `_` after it if it is a word of the language (`from_`), else the nearest legal one, with a number if taken.
 */
export function parametersOf(properties: Iterable<string>): Map<string, string> {
  const isOwn = (key: string) => (parameterOf(key) === key ? 0 : 1);
  const sorted = [...new Set(properties)].sort((a, b) => isOwn(a) - isOwn(b) || (a < b ? -1 : 1));
  const taken = new Set<string>();
  const nextNumber = new Map<string, number>();
  const parameters = new Map<string, string>();
  for (const key of sorted) {
    const first = parameterOf(key);
    let parameter = first;
    for (let number = nextNumber.get(first) ?? 2; taken.has(parameter); number++) {
      parameter = `${first}_${number}`;
      nextNumber.set(first, number + 1);
    }
    taken.add(parameter);
    parameters.set(key, parameter);
  }
  return parameters;
}

/** The name of the parameter that takes what has none of its own. */
export function restParameter(names: ReadonlyMap<string, string>): string {
  const taken = new Set(names.values());
  let name = 'more';
  while (taken.has(name)) name += '_';
  return name;
}

/** The parameter for one property, not looking at the others. */
function parameterOf(key: string): string {
  const name = legalName.test(key) ? key : identifierOf(key, 'snake_case');
  return reserved.has(name) ? `${name}_` : name;
}

/** Whether a Python class body can have a field of that name. */
export function isField(key: string): boolean {
  return /^_?[a-z][A-Za-z0-9_]{0,79}$/.test(key) && !reserved.has(key) && !typeNames.has(key);
}

/** In a class body, a field of such a name hides the type from the fields after it. */
const typeNames = new Set('str int float bool list dict'.split(' '));
