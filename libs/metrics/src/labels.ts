/** The label of all values that have no label of their own. */
const otherLabel = 'other';

/** Keeps these words and replaces everything else by `other`. */
function oneOf(...words: string[]): (value: unknown) => string {
  const known = new Set<unknown>(words);
  return (value) => (known.has(value) ? (value as string) : otherLabel);
}

export const statusLabel = oneOf('success', 'failure', 'rejected');
export const isolationLabel = oneOf('strict', 'portable', 'container');
export const methodLabel = oneOf('GET', 'POST', 'DELETE', 'HEAD', 'OPTIONS', 'PUT', 'PATCH');

/** The status code of an HTTP answer, or `other`. */
export function statusCodeLabel(status: number): string {
  return Number.isInteger(status) && status >= 100 && status <= 599 ? String(status) : otherLabel;
}

/**
 * Labels for names that are not known in advance. The first `max` names that `isKnown` accepts keep their own label forever,
 * because a series that disappears cannot be counted; all others are `other`.
 */
export class NameLabel {
  readonly #names = new Set<unknown>();
  readonly #max: number;
  readonly #isKnown: (name: string) => boolean;

  constructor(max: number, isKnown: (name: string) => boolean) {
    this.#max = max;
    this.#isKnown = isKnown;
  }

  of(name: unknown): string {
    if (typeof name !== 'string') return otherLabel;
    if (this.#names.has(name)) return name;
    if (this.#names.size >= this.#max || !this.#isKnown(name)) return otherLabel;
    this.#names.add(name);
    return name;
  }
}

/** The labels whose values are not known in advance. */
export interface NameLabels {
  servers: NameLabel;
  languages: NameLabel;
}
