import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';

import { auditRecordsOf } from '../server-under-test/audit-records.js';
import { createHome, putInto, removeHome } from '../server-under-test/home.js';
import { recordingServer } from '../upstream-servers/entries.js';
import { enveloped, introduction, type Message, RawServer } from './raw-server.js';

const code = `const call = (text) => callMCPTool('mcp__notes__note', { text }).then(() => 'made', ({ code }) => code);
return await Promise.all([call('first'), call('second')]);`;
const call = { name: 'executeTypescript', arguments: { code, allowedTools: ['notes'] } };
const elicitation = { elicitation: { form: {} } };
const extensions = { 'io.modelcontextprotocol/tasks': {} };
const answer = { action: 'accept', content: { c1: 'yes, once', c2: 'no' } };

describe('a program whose calls need a person', () => {
  let home: string;
  let server: RawServer;
  beforeEach(async () => {
    home = await createHome();
    const config = {
      mcpServers: { notes: recordingServer(join(home, 'calls')) },
      policy: { servers: { notes: { ask: ['note'] } } },
    };
    await putInto(home, { '.code-executor.json': JSON.stringify(config) });
    server = new RawServer(home);
  });
  afterEach(async () => {
    await server.close();
    await removeHome(home);
  });

  const resultOf = ({ result }: Message) => (result?.['structuredContent'] as { result: unknown }).result;
  const callsMade = async () => (await readFile(join(home, 'calls'), 'utf8')).trim().split('\n');
  async function expectAnswered(result: unknown) {
    expect(result).toEqual(['made', 'permission_denied']);
    expect(await callsMade()).toEqual([expect.stringContaining('"text":"first"')]);
    const asked = (await auditRecordsOf(home)).filter(({ type }) => type === 'ask');
    expect(asked.map(({ action }) => action)).toEqual(['once', 'denied']);
  }

  test('asks by elicitation up to 2025-11-25, while the call is open', async () => {
    await server.ask('initialize', introduction('2025-11-25', elicitation));
    const id = server.request('tools/call', call);
    const question = await server.received(({ method }) => method === 'elicitation/create');
    expect(question.params?.['message']).toContain('arguments: {"text":"first"}');
    server.send({ id: question.id as number, result: answer });
    await expectAnswered(resultOf(await server.answerTo(id)));
  });

  test('goes on without the calls if the client answers a question with an error', async () => {
    await server.ask('initialize', introduction('2025-11-25', elicitation));
    const id = server.request('tools/call', call);
    const question = await server.received(({ method }) => method === 'elicitation/create');
    server.send({ id: question.id as number, error: { code: -32603, message: 'no window' } });
    expect(resultOf(await server.answerTo(id))).toEqual(['cancelled', 'cancelled']);
  });

  test('asks in the result of the call in 2026-07-28, and goes on with the next one', async () => {
    const first = await server.ask('tools/call', enveloped(call, elicitation));
    const { inputRequests, requestState } = first.result as {
      inputRequests: Record<string, unknown>;
      requestState: string;
    };
    const [key = ''] = Object.keys(inputRequests);
    const again = { ...call, requestState, inputResponses: { [key]: answer } };
    const second = await server.ask('tools/call', enveloped(again, elicitation));
    await expectAnswered(resultOf(second));
    // Sent once more, it has the same result and calls nothing.
    await expectAnswered(resultOf(await server.ask('tools/call', enveloped(again, elicitation))));
  });

  test('becomes a task for a client that takes tasks', async () => {
    const capabilities = { ...elicitation, extensions };
    const created = await server.ask('tools/call', enveloped(call, capabilities));
    const { taskId } = created.result as { taskId: string };
    const get = async () => (await server.ask('tasks/get', enveloped({ taskId }, capabilities))).result ?? {};
    const [key = ''] = Object.keys((await get())['inputRequests'] as object);
    const update = { taskId, inputResponses: { [key]: answer } };
    await server.ask('tasks/update', enveloped(update, capabilities));
    let task = await get();
    while (task['status'] === 'working') task = await get();
    expect(task['status']).toBe('completed');
    await expectAnswered(resultOf(task));
  });

  test.each([
    ['up to 2025-11-25', (params: Record<string, unknown>) => params],
    ['of 2026-07-28', enveloped],
  ])('fails with an error that says so in a client %s that cannot ask', async (_era, withEra) => {
    const result = resultOf(await server.ask('tools/call', withEra(call)));
    expect(result).toEqual(['failed_precondition', 'failed_precondition']);
  });

  test('is stopped at the end of stdin, because nobody can answer any more', async () => {
    await server.ask('tools/call', enveloped(call, elicitation));
    server.endInput();
    expect(await server.ended).toBe(0);
    const [execution] = (await auditRecordsOf(home)).filter(({ type }) => type === 'execution');
    expect(execution).toMatchObject({ errorCode: 'cancelled' });
  });
});
