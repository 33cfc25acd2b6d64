import type { Language, ToolHit, ToolSchema } from '@code-executor/contracts';
import { toolOutline, toolSignature } from '@code-executor/schema-types';

import { firstSentence } from './first-sentence.js';
import { kept, type Kept } from './kept-hits.js';

/** Characters that a brief listing has room for, without its JSON: ten hits are some 400 tokens then. */
const maxChars = 1050;
/** What is left of that for each tool that follows. */
const outlineChars = 85;
const maxSignatureChars = 160;
/** Of a description beside a signature, and beside an outline. */
const maxSentenceChars = 80;
const maxPhraseChars = 32;

type BriefHit = Pick<ToolHit, 'name' | 'server' | 'signature' | 'description'>;

const outlines: Kept<BriefHit> = { typescript: new WeakMap(), python: new WeakMap() };
const wholes: Kept<BriefHit> = { typescript: new WeakMap(), python: new WeakMap() };

/**
 * A listing in which the first tools have whole signatures, as far as there is room, and the others outlines of
 * their parameters. The very first always has its signature.
 */
export class BriefListing {
  readonly #language: Language;
  #toolsLeft: number;
  #charsLeft: number | undefined;

  constructor(toolCount: number, language: Language) {
    this.#language = language;
    this.#toolsLeft = toolCount;
  }

  /** What is said of the next tool. */
  next(tool: ToolSchema): BriefHit {
    this.#toolsLeft--;
    if (this.#charsLeft !== undefined && this.#charsLeft < 0) return outlineOf(tool, this.#language);
    const whole = wholeOf(tool, this.#language);
    const left = (this.#charsLeft ?? maxChars) - charsOf(whole);
    const hasRoom = this.#charsLeft === undefined || left >= this.#toolsLeft * outlineChars;
    this.#charsLeft = hasRoom ? left : -1;
    return hasRoom ? whole : outlineOf(tool, this.#language);
  }
}

function outlineOf(tool: ToolSchema, language: Language): BriefHit {
  return kept(outlines[language], tool, () => briefHit(tool, toolOutline(tool, language), maxPhraseChars));
}

function wholeOf(tool: ToolSchema, language: Language): BriefHit {
  return kept(wholes[language], tool, () =>
    briefHit(tool, toolSignature(tool, language, maxSignatureChars), maxSentenceChars),
  );
}

function briefHit(
  { name, server, description }: ToolSchema,
  signature: string,
  maxLineChars: number,
): BriefHit {
  const line = description ? firstSentence(description, maxLineChars) : '';
  return { name, server, signature, ...(line && { description: line }) };
}

function charsOf({ name, server = '', signature = '', description = '' }: BriefHit): number {
  return name.length + server.length + signature.length + description.length;
}
