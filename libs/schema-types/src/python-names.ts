import { pythonParameterOf } from './python-parameters.js';

/** The name of the parameter that takes all properties without their own parameter. */
export function restParameter(names: ReadonlyMap<string, string>): string {
  const taken = new Set(names.values());
  let name = 'more';
  while (taken.has(name)) name += '_';
  return name;
}

/** Whether a Python class body can have a field of that name. */
export function isField(key: string): boolean {
  return /^_?[a-z]/.test(key) && pythonParameterOf(key) === key && !typeNames.has(key);
}

/** In a class body, a field with such a name hides the type from later fields. */
const typeNames = new Set('str int float bool list dict'.split(' '));
