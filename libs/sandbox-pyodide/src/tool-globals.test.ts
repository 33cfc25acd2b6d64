import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';

import { CodeExecutorError, noPermissions, type ToolSource } from '@code-executor/contracts';
import { fakeToolSource, isolationsUnderTest } from '@code-executor/contracts/testing';

import { PyodideSandbox } from './pyodide-sandbox.js';
import { snapshotDir } from './snapshot-dir.test.support.js';

describe.each(isolationsUnderTest())('Tools in Python (%s)', (isolation) => {
  let sandbox: PyodideSandbox;
  beforeAll(() => {
    sandbox = new PyodideSandbox({ isolation, snapshotDir: snapshotDir() });
  });
  afterAll(() => sandbox.close());

  const meetingOf = (count: number) => {
    let open: () => void = () => undefined;
    const all = new Promise<void>((resolve) => (open = resolve));
    let waiting = 0;
    return () => {
      if (++waiting === count) open();
      return all.then(() => ({ met: count }));
    };
  };
  const source = () =>
    fakeToolSource({
      mcp__test__double: ({ n }) => ({ n: Number(n) * 2 }),
      mcp__test__echo: (args) => args,
      mcp__test__meet: meetingOf(8),
      mcp__test__list: () => ['a', 'b'],
      mcp__test__busy: () => {
        throw new CodeExecutorError('resource_exhausted', 'Try later.', {
          tool: 'mcp__test__busy',
          server: 'test',
          retryAfterMs: 500,
        });
      },
      mcp__test__secret: () => {
        throw new CodeExecutorError('permission_denied', 'Not for you.', { tool: 'mcp__test__secret' });
      },
    });
  const run = (code: string, tools = source()) =>
    sandbox.execute({ code, timeoutMs: 30_000, permissions: noPermissions, tools });

  test.each<[string, string, unknown]>([
    ['without await', 'call_mcp_tool("mcp__test__double", {"n": 2})["n"]', 4],
    ['awaited', '(await call_mcp_tool("mcp__test__double", {"n": 2}))["n"]', 4],
    ['in a function', 'def f(n): return call_mcp_tool("mcp__test__double", {"n": n})["n"]\nf(1) + f(2)', 6],
    [
      'in a coroutine',
      'async def f(): return (await call_mcp_tool("mcp__test__double", {"n": 3}))["n"]\nawait f()',
      6,
    ],
    [
      'in asyncio.run',
      'import asyncio\nasync def f(): return (await call_mcp_tool("mcp__test__double", {"n": 3}))["n"]\nasyncio.run(f())',
      6,
    ],
    [
      'in a function that a coroutine calls',
      'def f(): return call_mcp_tool("mcp__test__double", {"n": 5})["n"]\nasync def g(): return f()\nawait g()',
      10,
    ],
    [
      'without await, beside an await',
      'a = call_mcp_tool("mcp__test__double", {"n": 2})\nb = await call_mcp_tool("mcp__test__double", {"n": 3})\na["n"] + b["n"]',
      10,
    ],
    [
      'without await in a loop, beside an await',
      'import asyncio\nawait asyncio.sleep(0)\n[t for t in call_mcp_tool("mcp__test__list")]',
      ['a', 'b'],
    ],
    [
      'eight at once by gather',
      'import asyncio\nlen(await asyncio.gather(*[call_mcp_tool("mcp__test__meet") for _ in range(8)]))',
      8,
    ],
    [
      'eight at once by tasks',
      'import asyncio\nasync with asyncio.TaskGroup() as group:\n  tasks = [group.create_task(call_mcp_tool("mcp__test__meet")) for _ in range(8)]\nsum(t.result()["met"] for t in tasks)',
      64,
    ],
    [
      'eight at once by generator',
      'import asyncio\nawait asyncio.gather(*(call_mcp_tool("mcp__test__meet") for _ in range(8)))\n1',
      1,
    ],
    [
      'with the answer of another call that is not awaited',
      'import asyncio\nawait asyncio.sleep(0)\na = call_mcp_tool("mcp__test__double", {"n": 2})\n[call_mcp_tool("mcp__test__echo", {"a": a})]',
      [{ a: { n: 4 } }],
    ],
    [
      'and used as their value, unawaited, beside an await',
      'import asyncio, json\nawait asyncio.sleep(0)\nr = call_mcp_tool("mcp__test__list")\n[json.dumps(r), r + ["c"], f"{r!s:>12}", r == ["a", "b"]]',
      ['["a", "b"]', ['a', 'b', 'c'], "  ['a', 'b']", true],
    ],
    [
      'awaited twice',
      'c = call_mcp_tool("mcp__test__double", {"n": 2})\n[(await c)["n"], (await c)["n"]]',
      [4, 4],
    ],
    [
      'with the whole result',
      'call_mcp_tool("mcp__test__double", {"n": 2}, raw=True)["structuredContent"]',
      { n: 4 },
    ],
  ])('are called %s', async (_how, code, value) => {
    expect(await run(code)).toMatchObject({ status: 'succeeded', value, stderr: '' });
  });

  test('are called even if the program does not wait for them', async () => {
    const tools = source();
    const code =
      'import asyncio\nawait asyncio.sleep(0)\ncall_mcp_tool("mcp__test__double", {"n": 1})\ncall_mcp_tool("mcp__test__busy")\n"end"';
    expect(await run(code, tools)).toMatchObject({ value: 'end', stderr: 'McpToolError: Try later.\n' });
    expect(tools.calls.map(({ name }) => name)).toEqual(['mcp__test__double', 'mcp__test__busy']);
  });

  test('fail with exceptions that say why', async () => {
    const code = `
errors = []
for name in ("mcp__test__busy", "mcp__test__secret"):
    try:
        call_mcp_tool(name)
    except McpToolError as e:
        errors.append([type(e).__name__, str(e), e.code, e.tool, e.server, e.retry_after_ms])
errors`;
    expect((await run(code)).value).toEqual([
      ['McpToolError', 'Try later.', 'resource_exhausted', 'mcp__test__busy', 'test', 500],
      ['ToolNotAllowedError', 'Not for you.', 'permission_denied', 'mcp__test__secret', null, null],
    ]);
  });

  test.each([
    [
      'a name that is not a string',
      'call_mcp_tool(5)',
      'call_mcp_tool takes the name of a tool as a string, not int.',
    ],
    [
      'params that are not a dict',
      'call_mcp_tool("t", [1])',
      'call_mcp_tool takes its params as a dict, not list.',
    ],
    ['params with NaN', 'call_mcp_tool("t", {"a": float("nan")})', 'The params of t are not JSON:'],
    [
      'params that are not JSON',
      'call_mcp_tool("t", {"a": {1, 2}})',
      'The params of t are not JSON: Object of type set is not JSON serializable',
    ],
    [
      'params of ten megabytes',
      'call_mcp_tool("t", {"a": "x" * 10_000_000})',
      'at most 1048576 can be sent at once',
    ],
  ])('refuse a call with %s', async (_what, code, message) => {
    const { value } = await run(`try:\n  ${code}\nexcept McpToolError as e:\n  r = [e.code, str(e)]\nr`);
    expect(value).toEqual(['invalid_argument', expect.stringContaining(message)]);
  });

  test('are listed and described by the discovery functions', async () => {
    const code = `
[[t["name"] for t in discover_mcp_tools("double")], [t["name"] for t in search_tools("test", 2)],
 get_tool_schema("mcp__test__list")["server"], get_tool_schema("none")]`;
    expect((await run(code)).value).toEqual([
      ['mcp__test__double'],
      ['mcp__test__double', 'mcp__test__echo'],
      'test',
      null,
    ]);
  });

  test('search_tools() asks for brief entries, and takes options by name', async () => {
    const asked: unknown[] = [];
    const tools = source();
    const listTools: ToolSource['listTools'] = ({ signal, ...options } = {}) => {
      asked.push({ ...options, isBound: signal !== undefined });
      return tools.listTools(options);
    };
    await run('search_tools("a"); search_tools("a", 3, detail="full", server="test", offset=1)', {
      ...tools,
      listTools,
    });
    expect(asked).toEqual([
      { query: 'a', limit: 10, detail: 'brief', offset: 0, isBound: true },
      { query: 'a', limit: 3, detail: 'full', server: 'test', offset: 1, isBound: true },
    ]);
  });

  test('have docstrings on their functions', async () => {
    const { value } = await run(
      '[f.__name__ for f in (call_mcp_tool, discover_mcp_tools, get_tool_schema, search_tools, display) if f.__doc__]',
    );
    expect(value).toEqual([
      'call_mcp_tool',
      'discover_mcp_tools',
      'get_tool_schema',
      'search_tools',
      'display',
    ]);
  });
});
