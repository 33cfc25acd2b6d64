import { pathToFileURL } from 'node:url';

/** Host paths, each with the text that a program's author sees in its place. */
export type HiddenPaths = readonly (readonly [path: string, shown: string])[];

/** Replaces host paths in text that leaves the sandbox. */
export function hidePaths(text: string, hiddenPaths: HiddenPaths): string {
  return replaceAll(text, formsOf(hiddenPaths));
}

/** Replaces host paths in text that arrives in chunks. The possible beginning of a path waits for the next chunk. */
export class PathHider {
  readonly #forms: HiddenPaths;
  #held = '';

  constructor(hiddenPaths: HiddenPaths) {
    this.#forms = formsOf(hiddenPaths);
  }

  /** Takes a chunk, and returns the text that can be shown now. It holds back less than the longest path. */
  push(chunk: string): string {
    const text = replaceAll(this.#held + chunk, this.#forms);
    const shownChars = text.length - Math.max(0, ...this.#forms.map(([form]) => begunAtEnd(text, form)));
    this.#held = text.slice(shownChars);
    return text.slice(0, shownChars);
  }

  /** Ends the text, and returns what was held back, because it did not become a path. */
  end(): string {
    const rest = this.#held;
    this.#held = '';
    return rest;
  }
}

/** Adds the file URL of each path, because a path may be printed as a URL. */
function formsOf(hiddenPaths: HiddenPaths): HiddenPaths {
  return hiddenPaths.flatMap(([path, shown]) => [
    [pathToFileURL(path).href, shown],
    [path, shown],
  ]);
}

function replaceAll(text: string, forms: HiddenPaths): string {
  if (text === '') return text;
  return forms.reduce((result, [form, shown]) => result.replaceAll(form, shown), text);
}

/** How many characters at the end of the text are an incomplete beginning of a form. */
function begunAtEnd(text: string, form: string): number {
  const first = form.slice(0, 1);
  const from = Math.max(0, text.length - form.length + 1);
  for (let start = text.indexOf(first, from); start !== -1; start = text.indexOf(first, start + 1)) {
    if (form.startsWith(text.slice(start))) return text.length - start;
  }
  return 0;
}
