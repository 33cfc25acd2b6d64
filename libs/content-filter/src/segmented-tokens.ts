import { base64Url, digit } from './characters.js';
import type { Cursor } from './cursor.js';
import type { Match, Pattern } from './pattern.js';
import { restOf } from './rest.js';
import { runEnd } from './run-end.js';

const dotCode = 46;
const colonCode = 58;
const rest = restOf(base64Url);

/** Tokens of which the parts have lengths of their own. */
export const segmentedTokens: readonly Pattern[] = [
  {
    name: 'sendgrid_key',
    kind: 'secret',
    finds: 'SendGrid API keys (SG.)',
    prefixes: ['SG.'],
    match(cursor, index, prefix) {
      const from = index + prefix.length;
      return afterParts(cursor, index, from, [
        { min: 16, max: 32 },
        { min: 32, max: 64 },
      ]);
    },
  },
  {
    name: 'discord_token',
    kind: 'secret',
    finds: 'tokens of Discord bots',
    // The base64 of an identifier, which is a number.
    prefixes: ['MD', 'MT', 'Mj', 'Mz', 'ND', 'NT', 'Nj', 'Nz', 'OD', 'OT'],
    match(cursor, index) {
      return afterParts(cursor, index, index, [
        { min: 24, max: 28 },
        { min: 6, max: 7 },
        { min: 27, max: 64 },
      ]);
    },
  },
  {
    name: 'telegram_token',
    kind: 'secret',
    finds: 'tokens of Telegram bots',
    prefixes: [],
    at: 'number',
    match(cursor, index) {
      const colon = runEnd(cursor, index, digit, 11);
      if (colon - index < 8 || colon - index > 10 || cursor.at(colon) !== colonCode) return undefined;
      if (!cursor.startsWith('AA', colon + 1)) return undefined;
      const end = runEnd(cursor, colon + 1, base64Url, 35);
      return end - colon - 1 < 35 ? undefined : { start: index, end, rest };
    },
  },
];

/** Parts of base64 with dots between them; the last one may have more than its maximum. */
function afterParts(
  cursor: Cursor,
  start: number,
  from: number,
  parts: readonly { min: number; max: number }[],
): Match | undefined {
  let end = from;
  for (const [number, { min, max }] of parts.entries()) {
    const begin = number === 0 ? from : end + 1;
    if (number > 0 && cursor.at(end) !== dotCode) return undefined;
    end = runEnd(cursor, begin, base64Url, max);
    if (end - begin < min) return undefined;
  }
  return { start, end, rest };
}
