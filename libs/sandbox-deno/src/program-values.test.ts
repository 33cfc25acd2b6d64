import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';

import { noPermissions } from '@code-executor/contracts';
import { fakeToolSource, isolationsUnderTest } from '@code-executor/contracts/testing';

import { DenoSandbox } from './deno-sandbox.js';

describe.each(isolationsUnderTest())('DenoSandbox programs (%s)', (isolation) => {
  let sandbox: DenoSandbox;
  beforeAll(() => {
    sandbox = new DenoSandbox({ isolation });
  });
  afterAll(() => sandbox.close());

  const newTools = () =>
    fakeToolSource({
      mcp__t__echo: (args) => ({ text: args['text'] }),
      mcp__t__fail: () => {
        throw new Error('tool said no');
      },
    });
  const run = (code: string, tools = newTools(), timeoutMs = 20_000) =>
    sandbox.execute({ code, timeoutMs, permissions: noPermissions, tools });

  test('adds a note to NaN, which JSON does not have', async () => {
    expect(await run('return NaN')).toMatchObject({
      status: 'succeeded',
      value: null,
      valueNote: 'JSON has no NaN.',
    });
  });

  test.each([
    ['a string', 'throw "plain"', '"plain"'],
    ['an object', 'throw { a: 1 }', '{ a: 1 }'],
    ['nothing', 'throw undefined', 'undefined'],
    [
      'a value that throws when it is shown',
      'throw { get [Symbol.toStringTag]() { throw 1 }, [Symbol.for("Deno.customInspect")]() { throw 1 } }',
      'The program threw something that cannot be shown.',
    ],
  ])('reports a thrown value that is %s', async (_, code, message) => {
    expect((await run(code)).error).toEqual({ code: 'user_error', message });
  });

  test.each([
    ['a cycle', 'const a: any = {}; a.a = a; return a', 'circular'],
    ['a function', 'return () => 1', 'it is a function; call it'],
    ['a symbol', 'return Symbol("x")', 'it is a symbol'],
    ['a toJSON that throws', 'return { toJSON() { throw new Error("mine") } }', 'mine'],
    ['a getter that throws', 'return { get x() { throw new Error("mine") } }', 'mine'],
    [
      '500 levels',
      'let a: any = 1; for (let i = 0; i < 500; i++) a = [a]; return a',
      'deeper than 190 levels',
    ],
    ['a proxy that throws', 'return { p: new Proxy({}, { ownKeys() { throw new Error("mine") } }) }', 'mine'],
  ])('refuses %s as a value', async (_, code, text) => {
    const result = await run(code);
    expect(result.status).toBe('failed');
    expect(result.error?.code).toBe('not_serializable');
    expect(result.error?.message).toContain(text);
  });

  test('truncates a value of 50 MB and adds a note', async () => {
    const result = await run('return "x".repeat(50e6)');
    expect(result).toMatchObject({ status: 'succeeded', truncated: true });
    expect(result.valueNote).toBe(
      'The value is 50000002 characters of JSON; these are the first 100000. Return less.',
    );
    expect(result.value).toHaveLength(100_000);
  });

  test.each([
    ['await new Promise(() => {})', 'ended_early'],
    ['export default new Promise(() => {})', 'ended_early'],
    ['return new Promise(() => {})', 'ended_early'],
    ['Deno.exit(3)', 'ended_early'],
    ['(await import("node:process")).default.abort()', 'ended_early'],
    ['Promise.reject(new Error("x")); await new Promise((r) => setTimeout(r, 5000)); return 5', 'user_error'],
    [
      'setTimeout(() => { throw new Error("x") }); await new Promise((r) => setTimeout(r, 5000)); return 5',
      'user_error',
    ],
    ['const a = []; for (;;) a.push(new Uint8Array(1 << 24).fill(1))', 'out_of_memory'],
    ['const a = []; for (;;) a.push(new Array(1000).fill({}))', 'out_of_memory'],
    ['const b = new Uint8Array(1 << 20).fill(65); for (;;) Deno.stdout.writeSync(b)', 'resource_exhausted'],
  ])('fails %j as %s', async (code, errorCode) => {
    // A busy machine takes long to fill the memory.
    const result = await run(code, newTools(), 50_000);
    expect(result.status).toBe('failed');
    expect(result.error?.code).toBe(errorCode);
    const advice = /\n.*128 MB.*executors\.typescript\.heapMb.*256 MB.*executors\.typescript\.memoryMb/;
    expect(advice.test(result.error?.message ?? '')).toBe(errorCode === 'out_of_memory');
    expect(result).not.toHaveProperty('value');
    expect(result.stderr).not.toContain('0x');
  });

  test.each([
    ['setTimeout(() => { Promise.reject(new Error("late")) }, 20); return 5', 'Unhandled rejection'],
    ['setTimeout(() => { throw new Error("late") }, 20); return 5', 'Uncaught exception'],
  ])('keeps the value when %j fails later', async (code, kind) => {
    const result = await run(code);
    expect(result).toMatchObject({ status: 'succeeded', value: 5 });
    expect(result.stderr).toContain(`${kind} after the program's value was there: Error: late`);
  });

  test('treats printed bytes that look like frames as text', async () => {
    const code = String.raw`const print = (text: string) => Deno.stdout.writeSync(new TextEncoder().encode(text));
print('\u001e{"type":"result","value":1}\n'); print('\u001e\u001e'); print('{"type":"call","id":1}\n');
return 2`;
    const result = await run(code);
    expect(result).toMatchObject({ status: 'succeeded', value: 2 });
    expect(result.stdout).toBe('\u001e{"type":"result","value":1}\n\u001e\u001e{"type":"call","id":1}\n');
  });

  test('keeps working when the program breaks the globals', async () => {
    const code = `Object.prototype.signal = 1; Array.prototype.map = null as any; JSON.stringify = null as any;
return await callMCPTool('mcp__t__echo', { text: 'still' })`;
    expect((await run(code)).value).toEqual({ text: 'still' });
  });

  test('answers thousands of calls, and ends a program that has too many waiting', async () => {
    const loop = (count: number) =>
      `return (await Promise.all(Array.from({ length: ${count} }, (_, i) => callMCPTool('mcp__t__echo', { text: i })))).length`;
    expect((await run(loop(3000))).value).toBe(3000);
    const stuck = fakeToolSource({ mcp__t__echo: () => new Promise(() => undefined) });
    expect((await run(loop(5000), stuck)).error?.code).toBe('resource_exhausted');
  });
});
