import type { UpstreamServer } from '../options.js';
import { namedSecretsOf, secretsOf } from './secrets-of.js';

/** Shorter values are not taken for secrets, because blanking them would blank ordinary words. */
const minSecretChars = 8;
/** Values that are secret by their name are blanked if they stand as words of their own. */
const minNamedChars = 3;
const maxInputChars = 10_000;
const terminalCodes = /\p{Cc}\[[0-9;]*[A-Za-z]/gu;

/** Makes what a server said fit for a log or an error message. */
export type Present = (text: string, maxChars?: number) => string;

/** Blanks in a text what the server's configuration may hold as secrets, in plain and in the usual encodings. */
export function secretBlanker(
  server: UpstreamServer,
  moreSecrets: () => readonly string[] = () => [],
): (text: string) => string {
  const secrets = secretsOf(server)
    .filter((secret) => secret.length >= minSecretChars)
    .flatMap(spellingsOf)
    .sort((a, b) => b.length - a.length);
  const words = namedSecretsOf(server)
    .filter(({ length }) => length >= minNamedChars && length < minSecretChars)
    .map(asWord);
  return (text) => {
    const more = moreSecrets().flatMap(spellingsOf);
    return [...more, ...secrets, ...words].reduce<string>(
      (shown, secret) => shown.replaceAll(secret, '***'),
      text,
    );
  };
}

/** A `Present` that blanks what the server's configuration may hold as secrets. */
export function presenter(server: UpstreamServer, moreSecrets?: () => readonly string[]): Present {
  const blank = secretBlanker(server, moreSecrets);
  return (text, maxChars = 300) => {
    const shown = blank(text.slice(0, maxInputChars).replace(terminalCodes, ''))
      .replace(/[\s\p{Cc}]+/gu, ' ')
      .trim();
    return shown.length > maxChars ? `${shown.slice(0, maxChars - 1)}…` : shown;
  };
}

/** Base64 without its end, which depends on what follows. */
function spellingsOf(secret: string): string[] {
  const bytes = Buffer.from(secret);
  const whole = bytes.subarray(0, bytes.length - (bytes.length % 3));
  const encoded = [whole.toString('base64'), whole.toString('base64url'), bytes.toString('hex')];
  return [...new Set([secret, encodeURIComponent(secret), ...encoded])];
}

function asWord(secret: string): RegExp {
  return new RegExp(`(?<!\\w)${secret.replaceAll(/[\\^$.*+?()[\]{}|/]/g, '\\$&')}(?!\\w)`, 'gu');
}
