import { readFileSync } from 'node:fs';

/** A text with one secret or one item of personal data in it. */
interface Positive {
  pattern: string;
  before: string;
  parts: string[];
  after: string;
}

export interface PositiveText extends Omit<Positive, 'parts'> {
  found: string;
}

const alphabets: Record<string, string> = {
  an: 'aB3dE5gH7jK9mN1pQ2rS4tU6vW8xY0z',
  hex: '3f9a0c7e1b8d5264',
  b64u: 'aB3dE5gH7jK9-mN1pQ2rS4tU6vW8_xY0z',
  b64: 'aB3dE5gH7jK9+mN1pQ2rS4tU6vW8/xY0z',
  up: 'QX7M2RV9KD4TB5WL',
  dig: '1029384756',
};

/** `<an:36>` stands for 36 characters. Therefore no file here holds anything that looks like a secret. */
function expand(part: string): string {
  const match = /^<(\w+):(\d+)>$/.exec(part);
  const alphabet = match ? alphabets[match[1] ?? ''] : undefined;
  if (!match || alphabet === undefined) return part;
  return alphabet.repeat(Math.ceil(Number(match[2]) / alphabet.length)).slice(0, Number(match[2]));
}

const file = new URL('../fixtures/labelled-texts.json', import.meta.url);
const labelled = JSON.parse(readFileSync(file, 'utf8')) as { positives: Positive[]; negatives: string[] };

export const positives: PositiveText[] = labelled.positives.map(({ parts, ...rest }) => ({
  ...rest,
  found: parts.map(expand).join(''),
}));

/** Texts that look like secrets or personal data, and are none. */
export const { negatives } = labelled;
