import { setTimeout as delay } from 'node:timers/promises';

import { afterEach, describe, expect, jest, test } from '@jest/globals';

import { CodeExecutorError, noPermissions } from '@code-executor/contracts';
import { fakeToolSource, isolationsUnderTest } from '@code-executor/contracts/testing';

import { PyodideSandbox, type PyodideSandboxOptions } from './pyodide-sandbox.js';
import { snapshotDir } from './snapshot-dir.test.support.js';

describe.each(isolationsUnderTest())("An embedder's own host calls in Python (%s)", (isolation) => {
  let sandbox: PyodideSandbox;
  afterEach(() => sandbox.close());

  const create = (hostCalls: NonNullable<PyodideSandboxOptions['hostCalls']>, spares = 0) => {
    const options = { isolation, hostCalls, spares: { count: spares }, snapshotDir: snapshotDir() };
    sandbox = new PyodideSandbox(options);
  };
  const run = (code: string) =>
    sandbox.execute({ code, timeoutMs: 60_000, permissions: noPermissions, tools: fakeToolSource({}) });

  test('are functions of programs, named in snake case, in new processes and in spare ones', async () => {
    const timeOfDay = jest.fn((params: object) => Promise.resolve({ hour: 12, ...params }));
    create({ now: () => Promise.resolve(1), timeOfDay, list: () => Promise.resolve([1]) }, 1);
    const code = `
async def later():
    return await time_of_day(zone="CET")
[await now(), time_of_day()["hour"], await later(), await time_of_day({"zone": "UTC"}, city="London"), list_(), list("a")]`;
    const value = [1, 12, { hour: 12, zone: 'CET' }, { hour: 12, zone: 'UTC', city: 'London' }, [1], ['a']];
    expect(await run(code)).toMatchObject({ status: 'succeeded', value });
    while ((await sandbox.status()).spares?.ready !== 1) await delay(20);
    expect(await run(code)).toMatchObject({ status: 'succeeded', value });
    expect(timeOfDay.mock.calls.slice(0, 3).map(([params]) => params)).toEqual([
      {},
      { zone: 'CET' },
      { zone: 'UTC', city: 'London' },
    ]);
  });

  test('fail with the code and message of the error, and refuse arguments that are not a dict or not JSON', async () => {
    const now = jest.fn(() =>
      Promise.reject(new CodeExecutorError('unavailable', 'Later.', { retryAfterMs: 5 })),
    );
    create({ now, broken: () => Promise.reject(new Error('password=hunter2')) });
    const { value } = await run(`
async def caught(call):
    try:
        return await call()
    except RuntimeError as error:
        return [error.code, str(error), error.retry_after_ms]
[await caught(call) for call in (lambda: now(), lambda: broken(), lambda: now([1]), lambda: now("text"), lambda: now(at={1}))]`);
    expect(value).toEqual([
      ['unavailable', 'Later.', 5],
      ['internal', 'An internal error occurred; see the log.', null],
      ['invalid_argument', 'now takes one object, or nothing.', null],
      ['invalid_argument', 'now takes one object, or nothing.', null],
      [
        'invalid_argument',
        'The params of now are not JSON: Object of type set is not JSON serializable',
        null,
      ],
    ]);
    expect(now).toHaveBeenCalledTimes(1);
  });

  test('cannot have the name of a global of programs', async () => {
    const answer = () => Promise.resolve(1);
    create({});
    const { value } = await run('import __main__; dir(__main__)');
    const names = (value as string[]).filter((name) => /^[a-z][a-z0-9_]*$/.test(name));
    expect(names).toContain('search_tools');
    for (const written of names) {
      const name = written.replaceAll(/_([a-z0-9])/g, (_found, letter: string) => letter.toUpperCase());
      expect(() => new PyodideSandbox({ hostCalls: { [name]: answer } })).toThrow(name);
    }
  });
});

test.each([
  ['searchTools', 'search_tools'],
  ['tools', 'tools'],
])('A host call cannot replace a global of programs: %s', (name, written) => {
  expect(() => new PyodideSandbox({ hostCalls: { [name]: () => Promise.resolve(1) } })).toThrow(
    expect.objectContaining({
      code: 'invalid_argument',
      message: `hostCalls: "${name}" would replace the global ${written} of programs; choose another.`,
    }),
  );
});

test('Two host calls cannot have one name', () => {
  const hostCalls = { isOpen: () => Promise.resolve(1), isOPEN: () => Promise.resolve(2) };
  expect(() => new PyodideSandbox({ hostCalls })).toThrow(
    expect.objectContaining({
      code: 'invalid_argument',
      message: 'hostCalls: "isOPEN" is called is_open in programs, as "isOpen" is; choose another.',
    }),
  );
});
