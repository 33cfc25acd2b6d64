import { setTimeout as delay } from 'node:timers/promises';

import { afterEach, describe, expect, jest, test } from '@jest/globals';

import { CodeExecutorError, noPermissions } from '@code-executor/contracts';
import { fakeToolSource, isolationsUnderTest } from '@code-executor/contracts/testing';

import { DenoSandbox, type DenoSandboxOptions } from './deno-sandbox.js';

describe.each(isolationsUnderTest())("An embedder's own host calls (%s)", (isolation) => {
  let sandbox: DenoSandbox;
  afterEach(() => sandbox.close());

  const create = (hostCalls: NonNullable<DenoSandboxOptions['hostCalls']>, spares = 0) => {
    sandbox = new DenoSandbox({ isolation, hostCalls, spares: { count: spares } });
  };
  const run = (code: string) =>
    sandbox.execute({ code, timeoutMs: 20_000, permissions: noPermissions, tools: fakeToolSource({}) });
  const valueOf = async (code: string) => {
    const { value, error } = await run(code);
    return error ?? value;
  };
  const caught = (call: string) =>
    valueOf(
      `try { return await ${call}; } catch (e) {
        return { name: e.name, code: e.code, message: e.message, retryAfterMs: e.retryAfterMs };
      }`,
    );

  test('are functions of programs, in new processes and in spare ones', async () => {
    const now = jest.fn(({ zone = 'UTC' }: object & { zone?: unknown }) =>
      Promise.resolve({ zone, year: 2026 }),
    );
    create({ now, nothing: () => Promise.resolve(undefined) }, 1);
    const code = 'return [await now(), await now({ zone: "CET" }), await nothing(), now.name]';
    const value = [{ zone: 'UTC', year: 2026 }, { zone: 'CET', year: 2026 }, null, 'now'];
    expect(await run(code)).toMatchObject({ status: 'succeeded', value });
    while ((await sandbox.status()).spares?.ready !== 1) await delay(20);
    expect(await run(code)).toMatchObject({ status: 'succeeded', value });
    expect(now.mock.calls.map(([params]) => params)).toEqual([{}, { zone: 'CET' }, {}, { zone: 'CET' }]);
  });

  test.each(['globalThis.now = () => 2', 'delete globalThis.now', 'now.call = () => 2', 'now = () => 2'])(
    'cannot be changed by a program: %s',
    async (change) => {
      create({ now: () => Promise.resolve(1) });
      expect(
        await valueOf(
          `try { eval(${JSON.stringify(change)}); } catch {} return now.call === Function.prototype.call && now()`,
        ),
      ).toBe(1);
    },
  );

  test('fail with the code and message of a CodeExecutorError, and reveal nothing about any other error', async () => {
    create({
      busy: () => Promise.reject(new CodeExecutorError('unavailable', 'Later.', { retryAfterMs: 5 })),
      broken: () => Promise.reject(new Error('password=hunter2')),
      cyclic: () => {
        const value: Record<string, unknown> = {};
        return Promise.resolve((value['value'] = value));
      },
    });
    expect(await caught('busy()')).toEqual({
      name: 'Error',
      code: 'unavailable',
      message: 'Later.',
      retryAfterMs: 5,
    });
    const internal = { name: 'Error', code: 'internal', message: 'An internal error occurred; see the log.' };
    expect(await caught('broken()')).toEqual(internal);
    expect(await caught('cyclic()')).toEqual(internal);
  });

  test.each(['5', 'null', '[1]', '"text"', '{ toJSON: () => "text" }', '{ toJSON: () => undefined }'])(
    'refuse arguments that are not an object: %s',
    async (params) => {
      const now = jest.fn(() => Promise.resolve(1));
      create({ now });
      expect(await caught(`now(${params})`)).toMatchObject({
        code: 'invalid_argument',
        message: 'now takes one object, or nothing.',
      });
      expect(now).not.toHaveBeenCalled();
    },
  );

  test('answer at most 16 MB, and at most four calls at once', async () => {
    let open = 0;
    let most = 0;
    create({
      large: () => Promise.resolve('x'.repeat(17 * 1024 * 1024)),
      slow: async () => {
        most = Math.max(most, ++open);
        await delay(20);
        open--;
      },
    });
    expect(await caught('large()')).toMatchObject({ code: 'resource_exhausted' });
    expect(await valueOf('await Promise.all(Array.from({ length: 20 }, () => slow())); return "done"')).toBe(
      'done',
    );
    expect(most).toBe(4);
  });

  test('learn from their signal that the program has ended', async () => {
    let beWaiting: () => void;
    const waiting = new Promise<void>((resolve) => (beWaiting = resolve));
    let beOver: () => void;
    const over = new Promise<void>((resolve) => (beOver = resolve));
    create({
      wait: (_params, signal) => {
        signal.addEventListener('abort', () => beOver());
        beWaiting();
        return over;
      },
      waits: () => waiting,
    });
    await run('void wait(); await waits(); Deno.exit()');
    await expect(over).resolves.toBeUndefined();
  });

  test('cannot have the name of a global of programs', async () => {
    const answer = () => Promise.resolve(1);
    create({});
    const code = `
      const names = new Set();
      for (let each = globalThis; each; each = Object.getPrototypeOf(each))
        for (const name of Object.getOwnPropertyNames(each)) names.add(name);
      return [...names];`;
    const { value } = await run(code);
    const names = (value as string[]).filter((name) => /^[a-z][A-Za-z0-9]*$/.test(name));
    expect(names).toContain('searchTools');
    for (const name of names) expect(() => new DenoSandbox({ hostCalls: { [name]: answer } })).toThrow(name);
  });
});

test.each([
  ['callTool', 'is the name of a built-in host call'],
  ['fetch', 'is the name of a built-in host call'],
  ['readFile', 'is the name of a built-in host call'],
  ['tools', 'would replace the global tools of programs'],
  ['setTimeout', 'would replace the global setTimeout of programs'],
  ['toString', 'would replace the global toString of programs'],
  ['time-of-day', 'is not a name in camel case, such as timeOfDay'],
  ['Now', 'is not a name in camel case, such as timeOfDay'],
  ['', 'is not a name in camel case, such as timeOfDay'],
  ['delete', 'is not a name in camel case, such as timeOfDay'],
  ['then', 'is not a name in camel case, such as timeOfDay'],
  ['__proto__', 'is not a name in camel case, such as timeOfDay'],
])('A host call cannot be called "%s"', (name, problem) => {
  const hostCalls = Object.fromEntries([[name, () => Promise.resolve(1)]]);
  const message = `hostCalls: "${name}" ${problem}; choose another.`;
  expect(() => new DenoSandbox({ hostCalls })).toThrow(
    expect.objectContaining({ code: 'invalid_argument', message }),
  );
});
