const texts = new WeakMap<object, string>();

/**
 * An answer that is a list of things which do not change. Each is made JSON once, however often it is
 * answered: a listing of a thousand tools is a join of texts.
 */
export class JsonList {
  readonly #items: readonly object[];

  constructor(items: readonly object[]) {
    this.#items = items;
  }

  /** Throws what `JSON.stringify` throws. */
  toText(): string {
    return `[${this.#items.map(textOf).join(',')}]`;
  }
}

function textOf(item: object): string {
  let text = texts.get(item);
  if (text === undefined) texts.set(item, (text = JSON.stringify(item)));
  return text;
}
