import type { ToolHit, ToolSchema } from '@code-executor/contracts';
import { type ToolForm, toolOutline, toolSignature } from '@code-executor/schema-types';

import { firstSentence } from './first-sentence.js';
import { kept, type Kept } from './kept-hits.js';

/** Characters in a brief listing, without its JSON; with these, ten hits take about 400 tokens. */
const maxChars = 1050;
/** How many of these are kept for each tool that follows. */
const outlineChars = 85;
const maxSignatureChars = 160;
/** Longest description beside a signature, and beside an outline. */
const maxSentenceChars = 80;
const maxPhraseChars = 32;

type BriefHit = Pick<ToolHit, 'name' | 'server' | 'signature' | 'description' | 'changed'>;

const outlines: Kept<BriefHit> = new WeakMap();
const wholes: Kept<BriefHit> = new WeakMap();

/**
 * A listing in which the first tools have whole signatures, as far as there is room, and the others outlines of
 * their parameters. The very first always has its signature.
 */
export class BriefListing {
  readonly #form: ToolForm;
  #toolsLeft: number;
  #charsLeft: number | undefined;

  constructor(toolCount: number, form: ToolForm) {
    this.#form = form;
    this.#toolsLeft = toolCount;
  }

  /** The hit of the next tool. */
  next(tool: ToolSchema): BriefHit {
    this.#toolsLeft--;
    if (this.#charsLeft !== undefined && this.#charsLeft < 0) return outlineOf(tool, this.#form);
    const whole = wholeOf(tool, this.#form);
    const left = (this.#charsLeft ?? maxChars) - charsOf(whole);
    const hasRoom = this.#charsLeft === undefined || left >= this.#toolsLeft * outlineChars;
    this.#charsLeft = hasRoom ? left : -1;
    return hasRoom ? whole : outlineOf(tool, this.#form);
  }
}

function outlineOf(tool: ToolSchema, form: ToolForm): BriefHit {
  return kept(outlines, form, tool, () => briefHit(tool, toolOutline(tool, form), maxPhraseChars));
}

function wholeOf(tool: ToolSchema, form: ToolForm): BriefHit {
  return kept(wholes, form, tool, () =>
    briefHit(tool, toolSignature(tool, form, maxSignatureChars), maxSentenceChars),
  );
}

function briefHit(
  { name, server, description, changed, unavailable }: ToolSchema,
  signature: string,
  maxLineChars: number,
): BriefHit {
  const line = description ? firstSentence(description, maxLineChars) : '';
  // The reason of a tool that is blocked repeats it.
  const news = unavailable ? undefined : changed;
  return { name, server, signature, ...(line && { description: line }), ...(news && { changed: news }) };
}

function charsOf({ name, server = '', signature = '', description = '' }: BriefHit): number {
  return name.length + server.length + signature.length + description.length;
}
