import { freePort } from '@code-executor/contracts/testing';
import { afterEach, expect } from '@jest/globals';

import { StartedHttpServer } from '../server-under-test/started-http-server.js';
import { realServer } from '../upstream-servers/entries.js';

/** `mcpServers` with a real server. */
export const everything = { everything: realServer('everything') };
/** Calls of its tools, and the answer to the first one. */
export const echo = ['mcp__everything__echo', { message: 'hi' }] as const;
export const echoed = { status: 200, retryAfter: null, body: { result: 'Echo: hi' } };
export const sum = ['mcp__everything__get-sum', { a: 1, b: 2 }] as const;
export const longOperation = 'mcp__everything__trigger-long-running-operation';

const started: StartedHttpServer[] = [];
afterEach(async () => {
  for (const server of started.splice(0)) await server.close();
});

/** Starts a server on a free port; it is stopped when the test ends. */
export async function startHttp(
  { http, ...config }: { http?: object } & Record<string, unknown>,
  options?: Parameters<typeof StartedHttpServer.start>[2],
): Promise<StartedHttpServer> {
  const text = JSON.stringify({ ...config, http: { port: await freePort(), ...http } });
  const server = await StartedHttpServer.start({ '.code-executor.json': text }, {}, options);
  started.push(server);
  return server;
}

/** Whether the server is calling a tool right now. */
export async function isCalling(server: StartedHttpServer): Promise<boolean> {
  const { body } = await server.ask('/ready', undefined);
  return (body as { connectionPool: { active: number } }).connectionPool.active === 1;
}

/** The answer to a call that the policy refuses, with this part in its message. */
export function denial(part: string): object {
  const message = expect.stringContaining(part) as unknown;
  return { status: 403, body: { error: { code: 'permission_denied', message } } };
}
