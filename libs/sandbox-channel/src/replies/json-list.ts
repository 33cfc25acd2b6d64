const texts = new WeakMap<object, string>();

/**
 * An answer that is a list of immutable items. Each item is serialized only once, however often it is answered, so
 * that a listing of a thousand tools only joins texts.
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
