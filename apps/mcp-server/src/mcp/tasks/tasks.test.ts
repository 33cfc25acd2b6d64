import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';

import type { ServerOptions } from '../create-server.js';
import { asking, askingServer } from '../questions/asking-server.test.support.js';
import { RawConnection } from '../raw-connection.test.support.js';

const extensions = { 'io.modelcontextprotocol/tasks': {} };

describe('a call of a client that takes tasks', () => {
  let options: ServerOptions;
  let connections: RawConnection[];
  const connect = async (capabilities: object = { elicitation: {}, extensions }, callerId?: string) => {
    const connection = await new RawConnection(options, capabilities, callerId).start();
    connections.push(connection);
    return connection;
  };
  beforeEach(() => {
    options = askingServer();
    connections = [];
  });
  afterEach(async () => {
    options.kept.close();
    await Promise.all(connections.map((connection) => connection.close()));
  });

  /** Starts a call that becomes a task, because it asks. */
  async function begin() {
    const connection = await connect();
    const { result } = await connection.ask('tools/call', asking);
    const taskId = result?.['taskId'] as string;
    return {
      connection,
      created: result,
      taskId,
      get: async () => (await connection.ask('tasks/get', { taskId })).result,
    };
  }

  test('has its result as ever if it is short and asks nothing', async () => {
    options = askingServer(() => Promise.resolve({ value: 1 }));
    const { result } = await (await connect()).ask('tools/call', asking);
    expect(result).toMatchObject({ resultType: 'complete', structuredContent: { result: 1 } });
  });

  test('becomes a task when it asks, shows its question, takes the answer, and has the result', async () => {
    const { connection, created, taskId, get } = await begin();
    expect(created).toMatchObject({
      resultType: 'task',
      taskId: expect.stringMatching(/^task_[0-9a-f]{32}$/) as unknown,
      status: 'input_required',
      ttlMs: 1_800_000,
      pollIntervalMs: 1000,
    });
    expect(await get()).toMatchObject({
      resultType: 'complete',
      status: 'input_required',
      inputRequests: { 'q1-2': { method: 'elicitation/create' } },
    });
    const inputResponses = { 'q1-2': { action: 'accept', content: { c1: 'yes, once', c2: 'no' } } };
    const updated = await connection.ask('tasks/update', { taskId, inputResponses });
    expect(updated.result).toMatchObject({ resultType: 'complete' });
    let view = await get();
    while (view?.['status'] === 'working') view = await get();
    expect(view).toMatchObject({
      status: 'completed',
      result: {
        isError: false,
        structuredContent: { result: ['content', 'removed b', 'permission_denied'] },
      },
    });
  });

  test('is cancelled, once and for all', async () => {
    const { connection, taskId, get } = await begin();
    expect((await connection.ask('tasks/cancel', { taskId })).result).toMatchObject({
      resultType: 'complete',
    });
    expect(await get()).toMatchObject({ status: 'cancelled' });
    const inputResponses = { 'q1-2': { action: 'accept', content: { c1: 'yes, once', c2: 'yes, once' } } };
    await connection.ask('tasks/update', { taskId, inputResponses });
    expect(await get()).toMatchObject({ status: 'cancelled' });
  });

  test.each(['tasks/get', 'tasks/update', 'tasks/cancel'])('is unknown to others in %s', async (method) => {
    const { connection, taskId } = await begin();
    const stranger = await connect({ elicitation: {}, extensions }, 'somebody else');
    expect((await stranger.ask(method, { taskId })).error).toMatchObject({ code: -32602 });
    expect((await connection.ask(method, { taskId: `${taskId}0` })).error).toMatchObject({ code: -32602 });
    expect((await connection.ask(method, { taskId: 7 })).error).toMatchObject({ code: -32602 });
  });

  test('keeps its result although another caller ends a great many', async () => {
    const { connection, taskId, get } = await begin();
    await connection.ask('tasks/cancel', { taskId });
    const stranger = await connect({ elicitation: {}, extensions }, 'somebody else');
    for (let n = 0; n < 40; n++) {
      const { result } = await stranger.ask('tools/call', asking);
      await stranger.ask('tasks/cancel', { taskId: result?.['taskId'] });
    }
    expect(await get()).toMatchObject({ status: 'cancelled' });
  });

  test.each(['tasks/get', 'tasks/update', 'tasks/cancel'])(
    'needs the extension in each request of %s',
    async (method) => {
      const { taskId } = await begin();
      const { error } = await (await connect({})).ask(method, { taskId });
      expect(error).toMatchObject({ code: -32021, data: { requiredCapabilities: { extensions } } });
    },
  );

  test('does not ask a person if the client cannot show a form', async () => {
    const { result } = await (await connect({ extensions })).ask('tools/call', asking);
    expect(result).toMatchObject({
      structuredContent: { result: ['content', 'failed_precondition', 'failed_precondition'] },
    });
  });
});
