/** Control characters, and characters that change the direction of a text or are invisible. */
const unprintable = /[\p{Cc}\p{Cf}]/gu;

/** Text that cannot steer a terminal: each such character becomes `�`, except those in `kept`. */
export function printable(text: string, kept = ''): string {
  return text.replace(unprintable, (character) => (kept.includes(character) ? character : '�'));
}

/** A value as JSON that cannot steer a terminal. `JSON.stringify` escapes only some of these characters. */
export function printableJson(value: unknown): string {
  return JSON.stringify(value, null, 2).replace(unprintable, (character) =>
    character === '\n' ? character : escaped(character),
  );
}

function escaped(character: string): string {
  const units = Array.from({ length: character.length }, (_, index) => character.charCodeAt(index));
  return units.map((unit) => `\\u${unit.toString(16).padStart(4, '0')}`).join('');
}
