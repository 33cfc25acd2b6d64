/** The part of a zod issue that is used here. */
export interface Problem {
  code: string;
  path: readonly PropertyKey[];
  keys?: readonly string[];
}

const maxProblems = 8;
const maxShownChars = 60;

/**
 * One message for all problems of a caller's input: the parameter, the received value, the allowed values.
 * `allowed` has a description for each known parameter, by its dotted path; the root's path is "".
 */
export function describeProblems(
  problems: readonly Problem[],
  input: unknown,
  allowed: ReadonlyMap<string, string>,
): string {
  const sentences = new Set(problems.flatMap((problem) => describeProblem(problem, input, allowed)));
  const shown = [...sentences].slice(0, maxProblems);
  const more = sentences.size - shown.length;
  return [...shown, ...(more > 0 ? [`There are ${more} more problems.`] : [])].join(' ');
}

function describeProblem(problem: Problem, input: unknown, allowed: ReadonlyMap<string, string>): string[] {
  const name = problem.path.filter((key) => typeof key !== 'number').join('.');
  if (problem.code === 'unrecognized_keys') {
    const known = [...allowed.keys()].filter((key) => key !== '' && parentOf(key) === name).join(', ');
    return (problem.keys ?? []).map(
      (key) => `Unknown parameter ${shorten(name === '' ? key : `${name}.${key}`)}; known are ${known}.`,
    );
  }
  const rule = allowed.get(name) ?? 'left out';
  const value = valueAt(input, problem.path);
  if (problem.path.length === 0) return [`The parameters are ${describeValue(value)}; send ${rule}.`];
  // The value is that of `allowedTools[2]`, but the rule is that of the whole list.
  const place = problem.path.map((key, index) => placeOf(key, index)).join('');
  return value === undefined
    ? [`Parameter ${place} is missing; it must be ${rule}.`]
    : [`Parameter ${place} is ${describeValue(value)}; ${name === place ? 'it' : name} must be ${rule}.`];
}

function placeOf(key: PropertyKey, index: number): string {
  if (typeof key === 'number') return `[${key}]`;
  return index === 0 ? String(key) : `.${String(key)}`;
}

function parentOf(path: string): string {
  return path.includes('.') ? path.slice(0, path.lastIndexOf('.')) : '';
}

function valueAt(input: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>(
    (value, key) => (typeof value === 'object' && value !== null ? Reflect.get(value, key) : undefined),
    input,
  );
}

/** The type and a shortened value, because the value may have megabytes. */
function describeValue(value: unknown): string {
  if (typeof value === 'string') return `${shorten(value)} (text, ${value.length} characters)`;
  if (typeof value === 'number' || typeof value === 'boolean') return `${value} (${typeof value})`;
  if (Array.isArray(value)) return `a list of ${value.length}`;
  return value === null ? 'null' : typeof value === 'object' ? 'an object' : `of type ${typeof value}`;
}

function shorten(text: string): string {
  // JSON, so that control characters and quotes cannot disturb the message.
  return JSON.stringify(text.length > maxShownChars ? `${text.slice(0, maxShownChars)}…` : text);
}
