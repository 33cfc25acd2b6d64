/** Stands for every value that may not be a label of its own. */
const otherLabel = 'other';

/** Lets these words through and turns everything else into `other`. */
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
 * Names that are not known beforehand. The first `max` that `isKnown` accepts keep their name, for good, because a
 * series that comes and goes cannot be counted; all others are `other`.
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

/** The labels whose values are not known beforehand. */
export interface NameLabels {
  servers: NameLabel;
  languages: NameLabel;
}
