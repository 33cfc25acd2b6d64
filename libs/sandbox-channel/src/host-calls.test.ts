import { describe, expect, test } from '@jest/globals';

import type { HostCall } from './host-call.js';
import { HostCalls, maxOutstandingCalls } from './host-calls.js';

const call = (id: number, method: string) => ({ type: 'call' as const, id, method, params: {} });
/** Lets all pending promises settle that wait for nothing else. */
const settle = () => new Promise((resolve) => setImmediate(resolve));

/** Host calls whose replies are read only when the test says so. */
function unreadCalls(answer?: string) {
  const begun: string[] = [];
  const sent: { json: string; read: () => void }[] = [];
  const hostCall = (method: string, limits: Pick<HostCall, 'maxAtOnce'> = {}): [string, HostCall] => [
    method,
    {
      ...limits,
      answer: () => {
        begun.push(method);
        return Promise.resolve(answer ?? method);
      },
    },
  ];
  const ended = new AbortController();
  const calls = new HostCalls(
    new Map([hostCall('callTool', { maxAtOnce: Infinity }), hostCall('listTools'), hostCall('readFile')]),
    {} as never,
    (line) => new Promise((read) => sent.push({ json: line.toString(), read })),
    ended.signal,
  );
  return { calls, begun, sent, ended };
}

describe('HostCalls', () => {
  test('answers a known method, and refuses an unknown one', async () => {
    const { calls, sent } = unreadCalls();
    expect([calls.accept(call(1, 'listTools'), 0), calls.accept(call(2, '__proto__'), 0)]).toEqual([
      true,
      true,
    ]);
    await settle();
    expect(sent.map(({ json }) => JSON.parse(json) as unknown)).toEqual([
      { id: 2, error: { code: 'not_found', message: 'The sandbox asked for something unknown.' } },
      { id: 1, value: 'listTools' },
    ]);
  });

  test('answers four calls per method until replies are read', async () => {
    const { calls, begun, sent } = unreadCalls();
    for (let id = 1; id <= 10; id++) calls.accept(call(id, 'readFile'), 0);
    calls.accept(call(11, 'listTools'), 0);
    await settle();
    expect(begun).toEqual(['readFile', 'readFile', 'readFile', 'readFile', 'listTools']);
    sent[0]?.read();
    await settle();
    expect(begun).toHaveLength(6);
    for (let index = 0; index < 11; index++) {
      sent[index]?.read();
      await settle();
    }
    expect(sent.map(({ json }) => (JSON.parse(json) as { id: number }).id).sort((a, b) => a - b)).toEqual(
      Array.from({ length: 11 }, (_, index) => index + 1),
    );
  });

  test('answers all calls of a method without a limit at once', async () => {
    const { calls, begun } = unreadCalls();
    for (let id = 1; id <= 100; id++) calls.accept(call(id, 'callTool'), 0);
    await settle();
    expect(begun).toHaveLength(100);
  });

  test('counts a call as waiting until its reply is read', async () => {
    const { calls, sent } = unreadCalls();
    for (let id = 1; id <= maxOutstandingCalls; id++)
      expect(calls.accept(call(id, 'callTool'), 0)).toBe(true);
    await settle();
    expect(calls.accept(call(maxOutstandingCalls + 1, 'callTool'), 0)).toBe(false);
    sent[0]?.read();
    await settle();
    expect(calls.accept(call(maxOutstandingCalls + 1, 'callTool'), 0)).toBe(true);
  });

  const mebibyte = 1024 * 1024;

  test('accepts calls that cost up to 8 MiB together, and more once replies are read', async () => {
    const { calls, sent } = unreadCalls();
    expect(calls.accept(call(1, 'callTool'), 6 * mebibyte)).toBe(true);
    expect(calls.accept(call(2, 'callTool'), 2 * mebibyte)).toBe(true);
    await settle();
    expect(calls.accept(call(3, 'callTool'), 1)).toBe(false);
    sent[1]?.read();
    await settle();
    expect(calls.accept(call(4, 'callTool'), 2 * mebibyte)).toBe(true);
  });

  test('keeps 64 MB of unread replies for all programs together, and at least 4 MB for each', async () => {
    const programs = Array.from({ length: 3 }, () => unreadCalls('x'.repeat(4 * mebibyte - 100_000)));
    const ask = async (program: number, id: number) => {
      const { calls, sent } = programs[program] ?? unreadCalls();
      calls.accept(call(id, 'callTool'), 0);
      await settle();
      const { error } = JSON.parse(sent.at(-1)?.json ?? '') as { error?: object };
      return error ?? 'answered';
    };
    for (let id = 1; id <= 16; id++) expect(await ask(0, id)).toBe('answered');
    expect(await ask(0, 17)).toMatchObject({ code: 'unavailable', retryAfterMs: 1000 });
    expect(await ask(1, 1)).toBe('answered');
    expect(await ask(1, 2)).toMatchObject({ code: 'unavailable' });
    expect(await ask(2, 1)).toBe('answered');
    for (const { sent } of programs) for (const { read } of sent) read();
    await settle();
    expect(await ask(1, 3)).toBe('answered');
    for (const { sent } of programs) sent.at(-1)?.read();
    await settle();
  });

  test.each([[[1, 1]], [[2, 1]], [[-1]], [[0]]])('refuses ids that do not count up: %j', (ids) => {
    const { calls } = unreadCalls();
    expect(ids.map((id) => calls.accept(call(id, 'callTool'), 0)).at(-1)).toBe(false);
  });

  test('starts no waiting call once the program is over', async () => {
    const { calls, begun, sent, ended } = unreadCalls();
    for (let id = 1; id <= 10; id++) calls.accept(call(id, 'readFile'), 0);
    await settle();
    ended.abort();
    for (let index = 0; index < 10; index++) {
      sent[index]?.read();
      await settle();
    }
    expect(begun).toHaveLength(4);
  });
});
