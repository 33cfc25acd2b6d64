import { fileURLToPath } from 'node:url';

import { afterEach, describe, expect, test } from '@jest/globals';

import { type FormAnswer, personWho } from '../protocol/person.js';
import { tokenHash } from '../server-under-test/started-http-server.js';
import { startHttp } from './http-servers.js';
import { closeClients, connectMcp, modes } from './mcp-clients.js';
import { begin, eventsOf, listen, post, postModern, resultOf } from './raw-mcp.js';

afterEach(closeClients);

const filesServer = fileURLToPath(new URL('../upstream-servers/files-server.mjs', import.meta.url));
const start = () =>
  startHttp({
    http: {
      clients: {
        free: { tokenHash: tokenHash('free'), policy: { allow: ['files'] } },
        careful: { tokenHash: tokenHash('careful'), policy: { allow: ['files'], ask: ['*__remove'] } },
      },
    },
    mcpServers: { files: { command: process.execPath, args: [filesServer] } },
    sandbox: { spares: { typescript: 0, python: 0 } },
  });

/** Three calls at once, of which two need a person where `remove` does. */
const code = `
  const outcome = (tool, path) => tools.files[tool]({ path }).catch((error) => error.code);
  return await Promise.all([outcome('read', 'a'), outcome('remove', 'b'), outcome('remove', 'c')]);`;
const called = { name: 'executeTypescript', arguments: { code } };
const elicitation = { elicitation: { form: {} } };
const onePermitted: FormAnswer = { action: 'accept', content: { c1: 'yes, once', c2: 'no' } };
const inPart = ['read a', 'remove b', 'permission_denied'];

test.each(modes)('a client is asked about what its own policy names, another is not (%s)', async (mode) => {
  const server = await start();
  const asked: string[] = [];
  const clientOf = async (token: string) => {
    const connected = await connectMcp(server, token, mode, { capabilities: elicitation }, (form) => {
      asked.push(token);
      return personWho({ b: 'yes, once', c: 'no' })(form);
    });
    return (await connected.run(code))['result'];
  };
  expect(await Promise.all([clientOf('free'), clientOf('careful')])).toEqual([
    ['read a', 'remove b', 'remove c'],
    inPart,
  ]);
  expect(asked).toEqual(['careful']);
});

describe('a program whose client is gone while a person is asked', () => {
  test('goes on when the same caller comes back with the answer, and for nobody else (2026-07-28)', async () => {
    const server = await start();
    const request = { method: 'tools/call', params: called, capabilities: elicitation };
    const first = await resultOf(await postModern(server, 'careful', request));
    expect(first).toMatchObject({
      resultType: 'input_required',
      requestState: expect.any(String) as unknown,
    });
    const { requestState, inputRequests } = first as { requestState: string; inputRequests: object };
    const inputResponses = Object.fromEntries(Object.keys(inputRequests).map((key) => [key, onePermitted]));
    const back = { ...request, params: { ...called, requestState, inputResponses } };
    const resultFor = async (token: string, params: object = back.params) =>
      resultOf(await postModern(server, token, { ...back, params: { ...params } }));
    expect(await resultFor('free')).not.toHaveProperty('structuredContent');
    const forged = { ...back.params, requestState: `${requestState.slice(0, -4)}AAAA` };
    expect(await resultFor('careful', forged)).not.toHaveProperty('structuredContent');
    expect(await resultFor('careful')).toMatchObject({
      structuredContent: { success: true, result: inPart },
    });
  });

  test('goes on when the session is taken up again (2025-11-25)', async () => {
    const server = await start();
    const session = await begin(server, 'careful', elicitation);
    const cut = new AbortController();
    const call = { id: 1, method: 'tools/call', params: called };
    const answer = await post(server, 'careful', call, session, { signal: cut.signal });
    let lastId: string | undefined;
    let question: { id?: unknown; method?: string } = {};
    for await (const { id, data } of eventsOf(answer)) {
      lastId = id;
      if (data !== '') question = JSON.parse(data) as typeof question;
      if (question.method === 'elicitation/create') break;
    }
    cut.abort();
    await (await post(server, 'careful', { id: question.id, result: onePermitted }, session)).text();
    let last: unknown;
    // As clients do: the server may still count on the cut connection at first.
    while (last === undefined) {
      const rest = await listen(server, 'careful', session, lastId);
      for await (const { data } of eventsOf(rest)) if (data !== '') last = JSON.parse(data);
    }
    expect(last).toMatchObject({ id: 1, result: { structuredContent: { success: true, result: inPart } } });
  });
});
