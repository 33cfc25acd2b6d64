import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals';

import type { ServerOptions } from '../create-server.js';
import { RawConnection } from '../raw-connection.test.support.js';
import { asking, askingServer } from './asking-server.test.support.js';

const agreed = { action: 'accept', content: { c1: 'yes, once', c2: 'yes, once' } };
const key = 'q1-2';

describe('a call of 2026-07-28 that asks', () => {
  let options: ServerOptions & { events: { type: string }[] };
  let connections: RawConnection[];
  const connect = async (capabilities?: object, callerId?: string) => {
    const connection = await new RawConnection(options, capabilities, callerId).start();
    connections.push(connection);
    return connection;
  };
  const call = (connection: RawConnection, more: object = {}) =>
    connection.ask('tools/call', { ...asking, ...more });
  const resultOf = ({ result }: { result?: Record<string, unknown> }) =>
    (result?.['structuredContent'] as { result: unknown }).result;
  /** A first call, with the state that its client has to send back. */
  async function ask() {
    const connection = await connect();
    const { result } = await call(connection);
    return { connection, result, requestState: result?.['requestState'] as string };
  }

  beforeEach(() => {
    options = askingServer();
    connections = [];
  });
  afterEach(async () => {
    options.kept.close();
    await Promise.all(connections.map((connection) => connection.close()));
  });

  test('ends with the question, and goes on with the answer', async () => {
    const { connection, result, requestState } = await ask();
    expect(result).toMatchObject({
      resultType: 'input_required',
      inputRequests: {
        [key]: { method: 'elicitation/create', params: { requestedSchema: { required: ['c1', 'c2'] } } },
      },
    });
    const answered = await call(connection, { requestState, inputResponses: { [key]: agreed } });
    expect(resultOf(answered)).toEqual(['content', 'removed b', 'removed c']);
  });

  test('can be answered over another connection of the same caller', async () => {
    const { connection, requestState } = await ask();
    await connection.close();
    const answered = await call(await connect(), { requestState, inputResponses: { [key]: agreed } });
    expect(resultOf(answered)).toEqual(['content', 'removed b', 'removed c']);
  });

  test('asks the same again if an answer is missing, or for something else', async () => {
    const { connection, result, requestState } = await ask();
    for (const inputResponses of [{}, { other: agreed }, { [key]: { method: 'x', result: agreed } }]) {
      const again = await call(connection, { requestState, inputResponses });
      expect(again.result?.['inputRequests']).toEqual(result?.['inputRequests']);
    }
  });

  test('gives the same result to repeated answers, and counts the first', async () => {
    const { connection, requestState } = await ask();
    const answer = { requestState, inputResponses: { [key]: agreed } };
    const refused = { requestState, inputResponses: { [key]: { action: 'decline' } } };
    const answers = await Promise.all([call(connection, answer), call(connection, refused)]);
    answers.push(await call(connection, answer));
    expect(answers.map(resultOf)).toEqual(Array(3).fill(['content', 'removed b', 'removed c']));
    expect(options.events.filter(({ type }) => type === 'execution')).toHaveLength(1);
  });

  test.each<[string, (state: string) => string]>([
    ['forged', (state) => `${state.slice(0, -4)}AAAA`],
    ['cut off', (state) => state.slice(0, 20)],
    ['empty', () => ''],
  ])('refuses a state that is %s', async (_name, change) => {
    const { connection, requestState } = await ask();
    const { error } = await call(connection, { requestState: change(requestState) });
    expect(error).toMatchObject({ code: -32602, message: 'Invalid or expired requestState' });
  });

  test('refuses the state of another caller', async () => {
    const { requestState } = await ask();
    const other = await connect({ elicitation: {} }, 'somebody else');
    const { error } = await call(other, { requestState, inputResponses: { [key]: agreed } });
    expect(error?.code).toBe(-32602);
  });

  test('is not answered by a call with other arguments', async () => {
    const { connection, requestState } = await ask();
    const { result } = await call(connection, {
      arguments: { code: 'y' },
      requestState,
      inputResponses: { [key]: agreed },
    });
    expect(result).toMatchObject({
      isError: true,
      content: [{ text: expect.stringMatching(/^The program that asked is no longer there/) as unknown }],
    });
    expect(options.events.filter(({ type }) => type === 'ask')).toEqual([]);
  });

  test('is stopped when nobody has come back for 15 minutes', async () => {
    const { connection, requestState } = await ask();
    jest.useFakeTimers({ doNotFake: ['setImmediate', 'nextTick', 'queueMicrotask', 'performance'] });
    try {
      // Begins the time anew, on the clock of the test.
      await call(connection, { requestState });
      jest.advanceTimersByTime(900_000);
    } finally {
      jest.useRealTimers();
    }
    const { result } = await call(connection, { requestState, inputResponses: { [key]: agreed } });
    expect(result).toMatchObject({ isError: true });
    while (!options.events.some(({ type }) => type === 'execution')) await new Promise(setImmediate);
    expect(options.events.filter(({ type }) => type === 'ask')).toMatchObject([
      { action: 'cancelled' },
      { action: 'cancelled' },
    ]);
  });

  test('ends with its request if that is cancelled while the program runs', async () => {
    let tellCancelled: () => void = () => undefined;
    const cancelled = new Promise<void>((resolve) => (tellCancelled = resolve));
    options = askingServer(async ({ signal }) => {
      await new Promise<void>((resolve) => signal?.addEventListener('abort', () => resolve()));
      tellCancelled();
      return {};
    });
    const connection = await connect();
    const { id } = connection.send('tools/call', asking);
    await new Promise(setImmediate);
    await connection.cancel(id);
    await cancelled;
  });
});
