import { CodeExecutorError, within } from '@code-executor/contracts';

import type { OfferLogin, ProxyCall } from './proxy-call.js';

/** The authorization server has to answer first. After this time, the call fails without a link. */
const maxWaitMs = 10_000;

/** The error of a call. If its server wants a login, and a person is offered a link to it, the error says so. */
export async function withOfferedLogin(
  { name, parts, signal }: ProxyCall,
  offer: OfferLogin,
  reason: unknown,
): Promise<unknown> {
  if (!CodeExecutorError.is(reason) || signal?.aborted) return reason;
  const { code, message, cause } = reason;
  const failure = code === 'unavailable' ? parts.lookup.failureOf(name) : undefined;
  const server = failure?.needsLogin
    ? failure.server
    : code === 'unauthenticated'
      ? reason.server
      : undefined;
  if (server === undefined) return reason;
  const isOffered = await within(maxWaitMs, offer(server), signal).catch(() => false);
  if (isOffered !== true) return reason;
  const text = `${message}. A person is offered a link to log in; call again once they have done so.`;
  return new CodeExecutorError(code, text, { tool: name, server, cause });
}
