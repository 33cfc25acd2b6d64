/** Sets of ASCII characters, as bits that can be combined. */
export const upper = 1;
export const lower = 2;
export const digit = 4;
const hexLetter = 8;
export const dash = 16;
export const underscore = 32;
const plusSlash = 64;
const equals = 128;
export const dot = 256;
export const percent = 512;
const slash = 1024;

export const letter = upper | lower;
export const alphanumeric = letter | digit;
export const hex = digit | hexLetter;
export const word = alphanumeric | underscore;
export const base64Url = word | dash;
export const base64 = alphanumeric | plusSlash;
export const paddedBase64 = base64 | equals;
export const encodedBase64 = paddedBase64 | percent;
export const dotted = base64Url | dot;
export const alphanumericDash = alphanumeric | dash;
export const pathSegments = base64Url | slash;
export const authorization = base64Url | dot | plusSlash | equals;
export const upperDigit = upper | digit;

const bits = new Uint16Array(128);
const add = (characters: string, bit: number): void => {
  for (const each of characters) bits[each.charCodeAt(0)] = (bits[each.charCodeAt(0)] ?? 0) | bit;
};
add('ABCDEFGHIJKLMNOPQRSTUVWXYZ', upper);
add('abcdefghijklmnopqrstuvwxyz', lower);
add('0123456789', digit);
add('abcdefABCDEF', hexLetter);
add('-', dash);
add('_', underscore);
add('+/', plusSlash);
add('=', equals);
add('.', dot);
add('%', percent);
add('/', slash);

/** The sets of a character code; 0 for −1, which stands for the end of the text, and beyond ASCII. */
export function setsOf(code: number): number {
  return bits[code] ?? 0;
}

export function isIn(code: number, sets: number): boolean {
  return (setsOf(code) & sets) !== 0;
}

/** Letters with accents, as names have them: Latin-1 and Latin Extended. */
export function isAccented(code: number): boolean {
  return code >= 0xc0 && code <= 0x24f && code !== 0xd7 && code !== 0xf7;
}

const wordCodes = Uint8Array.from({ length: 0x250 }, (_, code) =>
  isIn(code, alphanumeric) || isAccented(code) ? 1 : 0,
);

/** Whether a character continues a word: letters and digits do, `_` and `-` do not. */
export function continuesWord(code: number): boolean {
  return wordCodes[code] === 1;
}

/** The codes of these characters. */
export function codesOf(characters: string): ReadonlySet<number> {
  return new Set(Array.from(characters, (each) => each.charCodeAt(0)));
}
