import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';

import { enveloped, introduction, type Message, RawServer } from '../protocol/raw-server.js';
import { removeHome } from '../server-under-test/home.js';
import { type OAuthServer, startOAuthServer } from '../upstream-servers/oauth-server.js';
import { createHomeWith } from './home-with-remote.js';

const code = `const call = () => callMCPTool('mcp__remote__echo', { a: 1 }).catch(({ message }) => message);
return await Promise.all([call(), call()]);`;
const call = { name: 'executeTypescript', arguments: { code } };
const url = { elicitation: { url: {} } };
const extensions = { 'io.modelcontextprotocol/tasks': {} };
const command = 'Run: code-executor login remote';
const failed = (end: string) => [expect.stringContaining(`${command}${end}`), expect.stringMatching(/login/)];
const offered = failed('. A person is offered a link to log in; call again once they have done so.');
const works = Array(2).fill({ name: 'echo', args: { a: 1 } }) as unknown[];

let remote: OAuthServer;
let home: string;
let server: RawServer;
beforeEach(async () => {
  remote = await startOAuthServer();
  home = await createHomeWith(remote);
  server = new RawServer(home);
});
afterEach(async () => {
  await server.close();
  remote.close();
  await removeHome(home);
});

const resultOf = ({ result }: Message) => (result?.['structuredContent'] as { result: unknown }).result;
const isOffer = ({ method }: Message) => method === 'elicitation/create';
const registrations = async () => (await remote.log()).filter((entry) => 'register' in entry).length;

/** Does what a browser does whose person agrees. */
async function visit(link: string): Promise<void> {
  const answer = await fetch(link, { redirect: 'manual' });
  await fetch(answer.headers.get('location') ?? '');
}

describe('a program that calls a server which wants a login', () => {
  test('has a client up to 2025-11-25 offer the link once, and the next one can call it', async () => {
    await server.ask('initialize', introduction('2025-11-25', url));
    expect(resultOf(await server.ask('tools/call', call))).toEqual(offered);
    const offer = await server.received(isOffer);
    const { host } = new URL(remote.url);
    expect(offer.params).toEqual({
      mode: 'url',
      elicitationId: expect.any(String) as unknown,
      url: expect.stringContaining(`http://${host}/authorize?`) as unknown,
      message: `The MCP server remote wants a login before a program in Code Executor can call it. The link leads to ${host}; open it only if you expect to log in there.`,
    });
    expect(server.messages.filter(isOffer)).toHaveLength(1);
    server.send({ id: offer.id as number, result: { action: 'accept' } });
    await visit(offer.params?.['url'] as string);
    const told = await server.received(({ method }) => method === 'notifications/elicitation/complete');
    expect(told.params).toEqual({ elicitationId: offer.params?.['elicitationId'] });
    expect(resultOf(await server.ask('tools/call', call))).toEqual(works);
    expect(server.messages.filter(isOffer)).toHaveLength(1);
  });

  test('has the link in its result of 2026-07-28, and its own result in the next one', async () => {
    const first = await server.ask('tools/call', enveloped(call, url));
    const { inputRequests, requestState } = first.result as Record<string, unknown>;
    expect(inputRequests).toEqual({
      'login-remote': {
        method: 'elicitation/create',
        params: {
          mode: 'url',
          url: expect.stringContaining('/authorize?') as unknown,
          message: expect.stringContaining('The MCP server remote wants a login') as unknown,
        },
      },
    });
    const inputResponses = { 'login-remote': { action: 'decline' } };
    const again = await server.ask('tools/call', enveloped({ ...call, requestState, inputResponses }, url));
    expect(resultOf(again)).toEqual(offered);
  });

  test('has the link in its result for a client that takes tasks, too', async () => {
    const { result } = await server.ask('tools/call', enveloped(call, { ...url, extensions }));
    expect(result).toMatchObject({ resultType: 'input_required', inputRequests: { 'login-remote': {} } });
  });

  test.each([
    ['up to 2025-11-25', (params: Record<string, unknown>) => params],
    ['of 2026-07-28', (params: Record<string, unknown>) => enveloped(params, { elicitation: {} })],
  ])('begins no login for a client %s that opens no links', async (_era, withEra) => {
    const opening = introduction('2025-11-25', { elicitation: {} });
    if (!('_meta' in withEra({}))) await server.ask('initialize', opening);
    expect(resultOf(await server.ask('tools/call', withEra(call)))).toEqual(failed(''));
    expect(server.messages.filter(isOffer)).toEqual([]);
    expect(await registrations()).toBe(0);
  });

  test('begins no login for a call that the policy refuses', async () => {
    await server.ask('initialize', introduction('2025-11-25', url));
    const refused = { ...call, arguments: { code, allowedTools: [] } };
    expect(JSON.stringify(resultOf(await server.ask('tools/call', refused)))).not.toContain('login');
    expect(await registrations()).toBe(0);
  });
});
