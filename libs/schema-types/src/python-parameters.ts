import { identifierOf } from './identifier.js';

/** Words that no parameter can be called; `_call_tool` is what generated modules call. */
const reserved = new Set(
  'False None True and as assert async await break class continue def del elif else except finally for from global if import in is lambda nonlocal not or pass raise return try while with yield __debug__ _call_tool'.split(
    ' ',
  ),
);
const legalName = /^[A-Za-z_][A-Za-z0-9_]{0,79}$/;

/**
 * The keyword parameter for one property, not looking at the others: its own name where Python allows that, with a
 * `_` after it if it is a word of the language (`from_`), else the nearest legal one (`page_size` for `page-size`).
 */
export function pythonParameterOf(property: string): string {
  const name = legalName.test(property) ? property : identifierOf(property, 'snake_case');
  return reserved.has(name) ? `${name}_` : name;
}

/**
 * A keyword parameter for each of a tool's properties, no two of them alike: whichever order they come in, a
 * property that is its own parameter keeps it, and the others get a number (`a_b_2`).
 */
export function pythonParametersOf(properties: Iterable<string>): Map<string, string> {
  const isOwn = (property: string) => (pythonParameterOf(property) === property ? 0 : 1);
  const sorted = [...new Set(properties)].sort((a, b) => isOwn(a) - isOwn(b) || (a < b ? -1 : 1));
  const taken = new Set<string>();
  const nextNumber = new Map<string, number>();
  const parameters = new Map<string, string>();
  for (const property of sorted) {
    const first = pythonParameterOf(property);
    let parameter = first;
    for (let number = nextNumber.get(first) ?? 2; taken.has(parameter); number++) {
      parameter = `${first}_${number}`;
      nextNumber.set(first, number + 1);
    }
    taken.add(parameter);
    parameters.set(property, parameter);
  }
  return parameters;
}
