import type { UpstreamServer } from './options.js';

/** Shorter values are no secrets, and blanking them would blank ordinary words. */
const minSecretChars = 8;
const maxInputChars = 10_000;
const terminalCodes = /\p{Cc}\[[0-9;]*[A-Za-z]/gu;
const absolutePath = /(?:file:\/\/)?(?:\/|[A-Za-z]:\\)[^\s"'()<>:]+[/\\]([^\s"'()<>:/\\]+)/g;

/** Turns what a server said into something an error message can hold. */
export type Present = (text: string, maxChars?: number) => string;

/** Blanks in a text what the server's configuration may hold as secrets. */
export function secretBlanker(server: UpstreamServer): (text: string) => string {
  const secrets = secretsOf(server)
    .filter((secret) => secret.length >= minSecretChars)
    .sort((a, b) => b.length - a.length);
  return (text) => secrets.reduce((shown, secret) => shown.replaceAll(secret, '***'), text);
}

/** A `Present` that blanks what the server's configuration may hold as secrets. */
export function presenter(server: UpstreamServer): Present {
  const blank = secretBlanker(server);
  return (text, maxChars = 300) => {
    const shown = blank(text.slice(0, maxInputChars).replace(terminalCodes, ''))
      .replace(/[\s\p{Cc}]+/gu, ' ')
      .trim();
    return shown.length > maxChars ? `${shown.slice(0, maxChars - 1)}…` : shown;
  };
}

/** Leaves only the file name of each absolute path: error messages tell nothing about the host's folders. */
export function withoutFolders(text: string): string {
  return text.replace(absolutePath, '…/$1');
}

function secretsOf(server: UpstreamServer): string[] {
  if ('command' in server) return Object.values(server.env ?? {});
  // A header such as `Authorization: Bearer abc` is secret as a whole and in its last word.
  const headers = Object.values(server.headers ?? {}).flatMap((value) => [
    value,
    value.split(' ').pop() ?? '',
  ]);
  if (!URL.canParse(server.url)) return [...headers, server.url];
  const { href, password, searchParams } = new URL(server.url);
  return [
    ...headers,
    ...(password || searchParams.size > 0 ? [href] : []),
    password,
    ...searchParams.values(),
  ];
}
