import { CodeExecutorError, HostPattern } from '@code-executor/contracts';

const maxUrlChars = 8192;
const maxShownHosts = 10;

/** The URL of a request, if it may be fetched: well formed, http or https, without a password, its host granted. */
export function checkUrl(text: string, allow: readonly string[]): URL {
  const url = parse(text);
  if (url.protocol !== 'http:' && url.protocol !== 'https:') {
    const scheme = url.protocol.slice(0, 40);
    throw new CodeExecutorError(
      'permission_denied',
      `fetch reaches http: and https: URLs only, not ${scheme}.`,
    );
  }
  if (url.username !== '' || url.password !== '') {
    const problem = `The URL for ${url.host} holds a user name or password; send an Authorization header instead.`;
    throw new CodeExecutorError('permission_denied', problem);
  }
  if (!allow.some((entry) => HostPattern.parse(entry)?.matches(url))) {
    const shown = allow.slice(0, maxShownHosts).map((entry) => entry.slice(0, 100));
    const more = allow.length > shown.length ? ` and ${allow.length - shown.length} more` : '';
    throw new CodeExecutorError(
      'permission_denied',
      `Host ${url.host} is not among those that this execution may reach (${shown.join(', ') || 'none'}${more}); add it to permissions.net.`,
    );
  }
  return url;
}

function parse(text: string): URL {
  // The URL parser would silently drop line breaks.
  const isLegal = text.length <= maxUrlChars && !/[\p{Cc}]/u.test(text);
  const url = isLegal && URL.canParse(text) ? new URL(text) : undefined;
  if (url) return url;
  throw new CodeExecutorError(
    'invalid_argument',
    `fetch takes an absolute URL without line breaks and of at most ${maxUrlChars} characters.`,
  );
}
