import { randomUUID } from 'node:crypto';

import { type Logger, printable } from '@code-executor/contracts';
import { inputRequired, type InputRequests, type ServerContext } from '@modelcontextprotocol/server';

import type { LoginLink } from '../../tool.js';
import type { CallUnderWay } from '../calls/call-under-way.js';

/** As long as the login can be finished. */
const offerMs = 300_000;

/**
 * Shows a link to log in to the person at a client up to 2025-11-25, and tells the client when the login is made. The offer
 * stays open when the call that needed the login has failed. Never rejects.
 */
export async function offerByElicitation(
  link: LoginLink,
  { mcpReq }: ServerContext,
  logger: Logger,
): Promise<void> {
  const elicitationId = randomUUID();
  const note = (error: unknown) => logger.debug({ err: error }, 'A link to log in was not shown.');
  link.finished
    .then(() => mcpReq.notify({ method: 'notifications/elicitation/complete', params: { elicitationId } }))
    .catch(note);
  // Whatever the person answers, the login itself tells whether it was made.
  await mcpReq
    .send(
      { method: 'elicitation/create', params: { mode: 'url', elicitationId, ...textOf(link) } },
      { timeout: offerMs },
    )
    .catch(note);
}

/** The links of a call that nobody has seen, as 2026-07-28 puts them into a result. */
export function loginRequestsOf(call: CallUnderWay): InputRequests {
  return Object.fromEntries(
    call.takeLinks().map((link) => [`login-${link.server}`, inputRequired.elicitUrl(textOf(link))]),
  );
}

/** Names the server as the operator does, and the host that the person is going to see; nothing else is the server's to say. */
function textOf({ server, url }: LoginLink): { message: string; url: string } {
  const { host } = new URL(url);
  const message = `The MCP server ${printable(server)} wants a login before a program in Code Executor can call it. The link leads to ${host}; open it only if you expect to log in there.`;
  return { message, url };
}
