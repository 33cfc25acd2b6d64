/** How far upstream texts are read to find their first sentence. */
const maxReadChars = 1000;

/** The first sentence of a text, on one line; of one that is longer, whole words and `…`. */
export function firstSentence(text: string, maxChars: number): string {
  const start = text.slice(0, maxReadChars).trim();
  const end = /[.!?](?=\s)|[\r\n]/u.exec(start);
  const sentence = (end ? start.slice(0, end.index + 1) : start).trim();
  const characters = Array.from(sentence.replace(/\s+/gu, ' '));
  if (characters.length <= maxChars) return characters.join('');
  const cut = characters.slice(0, maxChars - 1);
  const lastBlank = cut.lastIndexOf(' ');
  return `${cut.slice(0, lastBlank > maxChars / 2 ? lastBlank : undefined).join('')}…`;
}
