import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';

import { noPermissions } from '@code-executor/contracts';
import { fakeToolSource, isolationsUnderTest } from '@code-executor/contracts/testing';

import { PyodideSandbox } from './pyodide-sandbox.js';
import { snapshotDir } from './snapshot-dir.test.support.js';

/** A call blocks the process if no other task can run, because that is fast. Programs must not notice it. */
describe.each(isolationsUnderTest())('While a call from Python waits (%s)', (isolation) => {
  let sandbox: PyodideSandbox;
  beforeAll(() => {
    sandbox = new PyodideSandbox({ isolation, snapshotDir: snapshotDir() });
  });
  afterAll(() => sandbox.close());

  /** The tool `gate` answers once `open` was called. */
  const source = () => {
    let open: () => void = () => undefined;
    const opened = new Promise<void>((resolve) => (open = resolve));
    return fakeToolSource({
      mcp__test__gate: () => opened.then(() => ({ is: 'open' })),
      mcp__test__open: () => {
        open();
        return {};
      },
      mcp__test__echo: (args) => args,
    });
  };
  const run = (code: string) =>
    sandbox.execute({ code, timeoutMs: 30_000, permissions: noPermissions, tools: source() });
  const opener = `import asyncio
async def opens(seconds):
    await asyncio.sleep(seconds)
    await call_mcp_tool("mcp__test__open")
`;

  test.each<[string, string, unknown]>([
    [
      'a task that is due continues, if the call is not awaited',
      `${opener}asyncio.create_task(opens(0))\ncall_mcp_tool("mcp__test__gate")["is"]`,
      'open',
    ],
    [
      'a task that is due continues, if the call is awaited',
      `${opener}asyncio.create_task(opens(0))\n(await call_mcp_tool("mcp__test__gate"))["is"]`,
      'open',
    ],
    [
      'a task that sleeps continues',
      `${opener}asyncio.create_task(opens(0.05))\nawait asyncio.sleep(0)\n(await call_mcp_tool("mcp__test__gate"))["is"]`,
      'open',
    ],
    [
      'a task that waits for another call continues',
      `${opener}async def later():
    await call_mcp_tool("mcp__test__echo", {"n": 1})
    await opens(0)
asyncio.create_task(later())
await asyncio.sleep(0)
call_mcp_tool("mcp__test__gate")["is"]`,
      'open',
    ],
    [
      'other tasks can make calls without await',
      `import asyncio
async def plain(tool): return call_mcp_tool(tool)
[answer.get("is") for answer in await asyncio.gather(plain("mcp__test__gate"), plain("mcp__test__open"))]`,
      ['open', null],
    ],
    [
      'its timeout can expire',
      `import asyncio
try:
    await asyncio.wait_for(call_mcp_tool("mcp__test__gate"), 0.05)
except TimeoutError:
    outcome = "too late"
await call_mcp_tool("mcp__test__open")
outcome`,
      'too late',
    ],
    [
      'other calls can be awaited in any order',
      `calls = [call_mcp_tool("mcp__test__echo", {"n": n}) for n in range(3)]
await call_mcp_tool("mcp__test__echo")
[(await calls[n])["n"] for n in (2, 0, 1, 1)]`,
      [2, 0, 1, 1],
    ],
    [
      'several tasks can wait for it',
      `import asyncio
call = call_mcp_tool("mcp__test__gate")
async def awaits(): return (await call)["is"]
async def plain(): return call["is"]
await asyncio.gather(awaits(), plain(), awaits(), call_mcp_tool("mcp__test__open"))`,
      ['open', 'open', 'open', {}],
    ],
  ])('%s', async (_, code, value) => {
    expect(await run(code)).toMatchObject({ status: 'succeeded', value, stderr: '' });
  });
});
