import { CodeExecutorError } from '@code-executor/contracts';
import { satisfies, valid, validRange } from '@renovatebot/pep440';

/** The variables that a marker can use: `python_version`, `sys_platform`, `extra` and so on. */
export type MarkerEnvironment = ReadonlyMap<string, string>;

const token =
  /\s*(?:(?<text>"[^"]*"|'[^']*')|(?<word>[a-z_]+(?:\.[a-z_]+)?)|(?<operator>===|~=|==|!=|<=|>=|<|>|\(|\)))/iy;
const comparisons = new Set(['<', '<=', '!=', '==', '>=', '>', '~=', '===', 'in']);
const maxDepth = 50;

interface Value {
  text: string;
  isVariable: boolean;
}

/**
 * Whether a PEP 508 marker (`python_version < "3.9" and extra == "test"`) holds.
 *
 * @throws CodeExecutorError `invalid_argument` for anything that is not a marker.
 */
export function markerHolds(marker: string, environment: MarkerEnvironment): boolean {
  return new MarkerReader(marker, environment).read();
}

class MarkerReader {
  readonly #marker: string;
  readonly #environment: MarkerEnvironment;
  readonly #tokens: string[];
  #position = 0;
  #depth = 0;

  constructor(marker: string, environment: MarkerEnvironment) {
    this.#marker = marker;
    this.#environment = environment;
    this.#tokens = this.#split();
  }

  read(): boolean {
    const result = this.#either();
    if (this.#position < this.#tokens.length) throw this.#unreadable();
    return result;
  }

  #split(): string[] {
    const tokens: string[] = [];
    const text = this.#marker.trimEnd();
    for (let end = 0; end < text.length;) {
      token.lastIndex = end;
      const match = token.exec(text);
      if (!match) throw this.#unreadable();
      tokens.push(match[0].trim());
      end = token.lastIndex;
    }
    return tokens;
  }

  #either(): boolean {
    let result = this.#all();
    // Both sides are always parsed: `||` would skip the rest of the text.
    while (this.#take('or')) result = this.#all() || result;
    return result;
  }

  #all(): boolean {
    let result = this.#one();
    while (this.#take('and')) result = this.#one() && result;
    return result;
  }

  #one(): boolean {
    if (!this.#take('(')) return this.#comparison();
    if (++this.#depth > maxDepth) throw this.#unreadable();
    const result = this.#either();
    if (!this.#take(')')) throw this.#unreadable();
    this.#depth--;
    return result;
  }

  #comparison(): boolean {
    const left = this.#value();
    const isNegated = this.#take('not');
    const operator = this.#tokens[this.#position++] ?? '';
    if (!comparisons.has(operator) || (isNegated && operator !== 'in')) throw this.#unreadable();
    const right = this.#value();
    if (operator === 'in') return right.text.includes(left.text) !== isNegated;
    // Versions are compared as versions, with the constant as the specifier; everything else is compared as text.
    if (right.isVariable && !left.isVariable) {
      return compare(right.text, mirrored[operator] ?? operator, left.text) ?? this.#fail();
    }
    return compare(left.text, operator, right.text) ?? this.#fail();
  }

  #value(): Value {
    const word = this.#tokens[this.#position++];
    if (word === undefined) throw this.#unreadable();
    if (/^["']/.test(word)) return { text: word.slice(1, -1), isVariable: false };
    const known = this.#environment.get(word);
    if (known === undefined) throw this.#unreadable();
    return { text: known, isVariable: true };
  }

  #take(word: string): boolean {
    if (this.#tokens[this.#position] !== word) return false;
    this.#position++;
    return true;
  }

  #fail(): never {
    throw this.#unreadable();
  }

  #unreadable(): CodeExecutorError {
    const shown = JSON.stringify(this.#marker.slice(0, 200));
    return new CodeExecutorError('invalid_argument', `${shown} is not a PEP 508 marker.`);
  }
}

const mirrored: Partial<Record<string, string>> = { '<': '>', '<=': '>=', '>': '<', '>=': '<=' };

/** Undefined if the two cannot be compared with this operator. */
function compare(value: string, operator: string, other: string): boolean | undefined {
  if (valid(value) !== null && validRange(`${operator}${other}`)) {
    return satisfies(value, `${operator}${other}`, { prereleases: true });
  }
  if (operator === '==' || operator === '===') return value === other;
  return operator === '!=' ? value !== other : undefined;
}
