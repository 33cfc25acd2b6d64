import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';

import { type ExecutionRequest, noPermissions } from '@code-executor/contracts';
import { fakeToolSource, isolationsUnderTest } from '@code-executor/contracts/testing';

import { PyodideSandbox } from './pyodide-sandbox.js';
import { snapshotDir } from './snapshot-dir.test.support.js';

describe.each(isolationsUnderTest())('Python programs (%s)', (isolation) => {
  let sandbox: PyodideSandbox;
  beforeAll(() => {
    sandbox = new PyodideSandbox({ isolation, snapshotDir: snapshotDir() });
  });
  afterAll(() => sandbox.close());

  const run = (code: string, request: Partial<ExecutionRequest> = {}) =>
    sandbox.execute({
      code,
      timeoutMs: 30_000,
      permissions: noPermissions,
      tools: fakeToolSource({}),
      ...request,
    });

  test('that exit with 0 succeed without a value', async () => {
    const result = await run('import sys\ndef main():\n    print("done")\n    return 0\nsys.exit(main())');
    expect(result).toMatchObject({ status: 'succeeded', stdout: 'done\n', stderr: '' });
    expect(result).not.toHaveProperty('value');
  });

  test('end early if they wait for something that can never settle', async () => {
    expect(await run('import asyncio\nawait asyncio.Future()')).toMatchObject({
      status: 'failed',
      stderr: '',
      error: {
        code: 'ended_early',
        message: 'The program waits for something that nothing can settle any more.',
      },
    });
  });

  test('read nothing from stdin', async () => {
    expect(await run('try:\n  input("? ")\nexcept EOFError as e:\n  r = str(e)\nr')).toMatchObject({
      status: 'succeeded',
      stdout: '? ',
      value: expect.stringContaining('EOF') as unknown,
    });
  });

  test('have no terminal', async () => {
    const { error } = await run('open("/dev/tty").read()');
    expect(error?.message).toMatch(/FileNotFoundError: .*'\/dev\/tty'$/);
  });

  test('cancel and name the tasks that still run at the end, as asyncio.run does', async () => {
    const code = `
import asyncio
async def forever():
    try:
        await asyncio.sleep(1000)
    finally:
        print("cleaned up")
task = asyncio.create_task(forever(), name="background")
await asyncio.sleep(0)
"done"`;
    expect(await run(code)).toMatchObject({
      status: 'succeeded',
      value: 'done',
      stdout: 'cleaned up\n',
      stderr: 'Task background (forever) was still running when the program ended, and was cancelled.\n',
    });
  });

  test('can catch MemoryError, or else run out of memory', async () => {
    const caught = await run(
      'kept = []\ntry:\n  while True: kept.append(bytearray(32 << 20))\nexcept MemoryError:\n  n = len(kept)\n  kept.clear()\nn > 2',
    );
    expect(caught).toMatchObject({ status: 'succeeded', value: true });
    const uncaught = await run('kept = []\nwhile True: kept.append(bytearray(32 << 20))');
    expect(uncaught).toMatchObject({ status: 'failed', error: { code: 'out_of_memory' } });
  });

  test.each([
    ['large objects', 'while True: kept.append(bytearray(4 << 20))'],
    ['small objects', 'while True: kept.append(object())'],
    ['one chain', 'while True: kept = (kept,)'],
    ['dictionaries', 'while True: kept.append({i: str(i) for i in range(1000)})'],
    [
      'ever smaller objects',
      'for size in 4 << 20, 4 << 10, 100:\n  try:\n    while True: kept.append(bytearray(size))\n  except MemoryError: pass\nwhile True: kept.append(object())',
    ],
  ])('that use up all memory fail with a MemoryError: %s', async (_, code) => {
    const small = new PyodideSandbox({
      ...{ isolation, snapshotDir: snapshotDir(), memoryMb: 256 },
      spares: { count: 0 },
    });
    const { tools, permissions } = { tools: fakeToolSource({}), permissions: noPermissions };
    const result = await small
      .execute({ code: `kept = []\n${code}`, timeoutMs: 40_000, tools, permissions })
      .finally(() => small.close());
    expect(result).toMatchObject({
      status: 'failed',
      stderr: '',
      error: {
        code: 'out_of_memory',
        message: expect.stringMatching(
          /MemoryError\nPython has 256 MB \(executors\.python\.memoryMb\)/,
        ) as unknown,
      },
    });
  });

  test('fail with one line if the interpreter crashes, without its crash report', async () => {
    const result = await run('import posix\nprint("before")\nposix.system("id")');
    expect(result).toMatchObject({
      status: 'failed',
      stdout: 'before\n',
      stderr: '',
      error: { code: 'ended_early', message: expect.stringMatching(/^Python crashed: /) as unknown },
    });
    expect(result).not.toHaveProperty('value');
  });

  test('with huge values are truncated before the whole value is converted', async () => {
    const result = await run('range(10**9)', { timeoutMs: 20_000 });
    expect(result).toMatchObject({ status: 'succeeded', truncated: true });
    expect(result.value).toHaveLength(100_000);
    expect(result.valueNote).toMatch(/^The value is more than 100000 characters of JSON/);
  });

  test.each([
    [
      'an exit of a task',
      'import asyncio, sys\nasync def f(): sys.exit(1)\nasyncio.create_task(f())\nawait asyncio.sleep(5)\n42',
      'ended_early',
      'A task of the program called sys.exit().',
    ],
    [
      'an exception that cannot be described',
      'class E(BaseException):\n  def __str__(self): raise SystemExit\nraise E()',
      'user_error',
      'E',
    ],
    [
      'a missing module whose name is not a string',
      'raise ModuleNotFoundError("m", name=5)',
      'user_error',
      'ModuleNotFoundError: m',
    ],
    [
      'a cause while a task refuses to end',
      'import asyncio\nasync def f():\n  while True:\n    try: await asyncio.sleep(9)\n    except asyncio.CancelledError: pass\nasyncio.create_task(f())\nawait asyncio.sleep(0)\nraise ValueError("the cause")',
      'user_error',
      'ValueError: the cause',
    ],
    [
      'lines of the program above many others',
      'import copy, sys\nsys.setrecursionlimit(3000)\nclass D:\n  def __deepcopy__(self, memo): raise ValueError("deep")\na = D()\nfor i in range(300): a = [a]\ndef mine(): copy.deepcopy(a)\nmine()',
      'user_error',
      'line 7, in mine',
    ],
  ])('report %s', async (_what, code, errorCode, message) => {
    const { status, error } = await run(code);
    expect({ status, code: error?.code }).toEqual({ status: 'failed', code: errorCode });
    expect(error?.message).toContain(message);
  });
});
