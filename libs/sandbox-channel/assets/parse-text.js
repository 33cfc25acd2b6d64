// Taken before the program runs, so that its changes to the globals do not matter here.
const { parse } = JSON;

/** How JSON begins. Most texts are not JSON, and finding that out by an exception takes ten times as long. */
const jsonStart = /^[ \t\r\n]*[[{"\-\dtfn]/;

/** The text of a tool's result as a program gets it: parsed if it is JSON. */
export function parseText(text) {
  if (!jsonStart.test(text)) return text;
  let value;
  try {
    value = parse(text);
  } catch {
    return text;
  }
  // "12345678901234567890" or "1.10" would lose digits as a number: keep the text.
  return typeof value === 'number' && String(value) !== text.trim() ? text : value;
}
