import { CodeExecutorError } from '@code-executor/contracts';

import type { OutgoingRequest } from './check-request.js';

const redirectStatuses: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

/** The location of a redirect as the answer has it; undefined if the answer is not a redirect. */
export function redirectTarget(status: number, headers: readonly [string, string][]): string | undefined {
  if (!redirectStatuses.has(status)) return undefined;
  return headers.find(([name]) => name.toLowerCase() === 'location')?.[1];
}

/** The absolute URL of a redirect from `from`; throws if it must not be followed. */
export function resolveRedirect(target: string, from: URL): string {
  if (!URL.canParse(target, from.href)) {
    throw new CodeExecutorError(
      'unavailable',
      `Host ${from.host} redirects to something that is not a URL.`,
      {
        retryAfterMs: 1000,
      },
    );
  }
  const to = new URL(target, from);
  if (from.protocol === 'https:' && to.protocol === 'http:') {
    throw new CodeExecutorError(
      'permission_denied',
      `Host ${from.host} redirects from https to http, which is not followed; ask for the other address yourself.`,
    );
  }
  return to.href;
}

/** The request of the next hop, as the fetch standard changes it; secrets do not go to another origin. */
export function redirectRequest(
  request: OutgoingRequest,
  status: number,
  from: URL,
  to: URL,
): OutgoingRequest {
  const { method, headers, body } = request;
  const becomesGet =
    status === 303
      ? method !== 'GET' && method !== 'HEAD'
      : (status === 301 || status === 302) && method === 'POST';
  const dropped = (name: string) =>
    (becomesGet && name.startsWith('content-')) ||
    (from.origin !== to.origin && (name === 'authorization' || name === 'cookie'));
  return {
    method: becomesGet ? 'GET' : method,
    headers: headers.filter(([name]) => !dropped(name)),
    body: becomesGet ? undefined : body,
  };
}
