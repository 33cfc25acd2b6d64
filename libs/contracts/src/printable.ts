/** Control characters, and those that turn the direction of a text or hide in it. */
const unprintable = /[\p{Cc}\p{Cf}]/gu;

/** Text in which nothing steers the terminal: each such character is a `�`, but line breaks where they are `kept`. */
export function printable(text: string, kept = ''): string {
  return text.replace(unprintable, (character) => (kept.includes(character) ? character : '�'));
}

/** A value as JSON that steers no terminal: `JSON.stringify` escapes only some of these characters. */
export function printableJson(value: unknown): string {
  return JSON.stringify(value, null, 2).replace(unprintable, (character) =>
    character === '\n' ? character : escaped(character),
  );
}

function escaped(character: string): string {
  const units = Array.from({ length: character.length }, (_, index) => character.charCodeAt(index));
  return units.map((unit) => `\\u${unit.toString(16).padStart(4, '0')}`).join('');
}
