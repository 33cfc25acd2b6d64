import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';

import { noPermissions, type ExecutionRequest, type Sandbox } from '../sandbox.js';
import { fakeToolSource } from './fake-tool-source.js';

/** The same programs in each language; the suite expects the same behaviour of all. */
export interface SandboxPrograms {
  /** Its value is `{ answer: 42 }`. */
  value: string;
  /** Has no value. */
  noValue: string;
  /** Prints `out` to stdout and `err` to stderr. */
  prints: string;
  /** Throws an exception with the message `boom` on line 2. */
  throws: string;
  syntaxError: string;
  endlessLoop: string;
  /** Prints more than two million characters, the first line being `first`, the last `last`. */
  hugeOutput: string;
  /** Its value is the list of environment variable names that it can see, or `[]` when it is refused. */
  environment: string;
  /** Calls `mcp__test__echo` with `{ text: 'hi' }`; its value is the answer. */
  callsTool: string;
  /** Calls `mcp__test__fail`, catches; its value is `{ message, tool }` of the exception. */
  catchesToolError: string;
  /** Its value is the sorted names of all discovered tools. */
  discovers: string;
  /** Exits with code 0 before it has a value. */
  exitsEarly: string;
}

const programs: Record<Sandbox['language'], SandboxPrograms> = {
  typescript: {
    value: 'const answer: number = 42;\nreturn { answer };',
    noValue: 'const x: number = 1;',
    prints: 'console.log("out"); console.error("err");',
    throws: 'const a = 1;\nthrow new Error("boom");',
    syntaxError: 'const = ;',
    endlessLoop: 'for (;;) {}',
    hugeOutput:
      'console.log("first"); for (let i = 0; i < 20000; i++) console.log("x".repeat(200)); console.log("last");',
    environment: 'try { return Object.keys(Deno.env.toObject()); } catch { return []; }',
    callsTool: 'return await callMCPTool("mcp__test__echo", { text: "hi" });',
    catchesToolError:
      'try { await callMCPTool("mcp__test__fail", {}); } catch (e) { return { message: e.message, tool: e.tool }; }',
    discovers: 'return (await discoverMCPTools()).map((t) => t.name).sort();',
    exitsEarly: 'Deno.exit(0);',
  },
  python: {
    value: 'answer = 42\n{"answer": answer}',
    noValue: 'x = 1',
    prints: 'import sys\nprint("out")\nprint("err", file=sys.stderr)',
    throws: 'a = 1\nraise Exception("boom")',
    syntaxError: 'def = 1',
    endlessLoop: 'while True: pass',
    hugeOutput: 'print("first")\nfor i in range(20000): print("x" * 200)\nprint("last")',
    environment: 'import os\n[k for k in os.environ if k not in ("HOME", "PATH", "LANG")]',
    callsTool: 'await call_mcp_tool("mcp__test__echo", {"text": "hi"})',
    catchesToolError:
      'try:\n  call_mcp_tool("mcp__test__fail", {})\nexcept McpToolError as e:\n  r = {"message": str(e), "tool": e.tool}\nr',
    discovers: 'sorted(t["name"] for t in discover_mcp_tools())',
    exitsEarly: 'import js\njs.Deno.exit(0)',
  },
};

/** The suite that every `Sandbox` must pass. */
export function describeSandbox(name: string, create: () => Promise<Sandbox>): void {
  describe(`${name} as a Sandbox`, () => {
    let sandbox: Sandbox;
    let program: SandboxPrograms;
    beforeAll(async () => {
      sandbox = await create();
      program = programs[sandbox.language];
    });
    afterAll(async () => {
      await sandbox.close();
    });

    const tools = () =>
      fakeToolSource({
        mcp__test__echo: (args) => ({ text: args['text'] }),
        mcp__test__fail: () => {
          throw new Error('it failed');
        },
      });
    const run = (code: string, request: Partial<ExecutionRequest> = {}) =>
      sandbox.execute({ code, timeoutMs: 20_000, permissions: noPermissions, tools: tools(), ...request });

    test('returns the value of the program', async () => {
      const result = await run(program.value);
      expect(result).toMatchObject({ status: 'succeeded', value: { answer: 42 }, stdout: '', stderr: '' });
      expect(result.truncated).toBe(false);
      expect(result.durationMs).toBeGreaterThan(0);
    });

    test('has no value where the program has none', async () => {
      const result = await run(program.noValue);
      expect(result.status).toBe('succeeded');
      expect(result).not.toHaveProperty('value');
    });

    test('captures stdout and stderr apart, and streams them', async () => {
      const streamed = { stdout: '', stderr: '' };
      const result = await run(program.prints, {
        onOutput: ({ stream, text }) => (streamed[stream] += text),
      });
      expect(result).toMatchObject({ status: 'succeeded', stdout: 'out\n', stderr: 'err\n' });
      expect(streamed).toEqual({ stdout: 'out\n', stderr: 'err\n' });
    });

    test('reports an exception with message and line', async () => {
      const result = await run(program.throws);
      expect(result).toMatchObject({ status: 'failed', error: { code: 'user_error' } });
      expect(result.error?.message).toContain('boom');
      expect(result.error?.message).toMatch(/:2\b|line 2\b/);
    });

    test('reports a syntax error', async () => {
      const result = await run(program.syntaxError);
      expect(result).toMatchObject({ status: 'failed', error: { code: 'user_error' } });
    });

    test('ends an endless loop at the time limit, and works afterwards', async () => {
      const result = await run(program.endlessLoop, { timeoutMs: 1000 });
      expect(result).toMatchObject({ status: 'timed_out', error: { code: 'deadline_exceeded' } });
      expect(result.durationMs).toBeLessThan(5000);
      expect((await run(program.value)).status).toBe('succeeded');
    });

    test('cuts huge output in the middle and keeps head and tail', async () => {
      const result = await run(program.hugeOutput);
      expect(result).toMatchObject({ status: 'succeeded', truncated: true });
      expect(result.stdout.startsWith('first\n')).toBe(true);
      expect(result.stdout.endsWith('last\n')).toBe(true);
      expect(result.stdout.length).toBeLessThan(110_000);
    });

    test('hides the environment of the host', async () => {
      const canary = 'CODE_EXECUTOR_CANARY';
      process.env[canary] = 'secret';
      try {
        expect(await run(program.environment)).toMatchObject({ status: 'succeeded', value: [] });
      } finally {
        Reflect.deleteProperty(process.env, canary);
      }
    });

    test('calls a tool and gets its plain value', async () => {
      const source = tools();
      const result = await run(program.callsTool, { tools: source });
      expect(result).toMatchObject({ status: 'succeeded', value: { text: 'hi' } });
      expect(source.calls).toEqual([{ name: 'mcp__test__echo', args: { text: 'hi' } }]);
    });

    test('throws the error of a tool into the program, which can catch it', async () => {
      expect(await run(program.catchesToolError)).toMatchObject({
        status: 'succeeded',
        value: { message: expect.stringContaining('it failed') as unknown, tool: 'mcp__test__fail' },
      });
    });

    test('discovers the tools', async () => {
      const result = await run(program.discovers);
      expect(result.value).toEqual(['mcp__test__echo', 'mcp__test__fail']);
    });

    test('fails a program that exits before its value is there', async () => {
      expect(await run(program.exitsEarly)).toMatchObject({
        status: 'failed',
        error: { code: 'ended_early' },
      });
    });

    test('cancels when the signal fires', async () => {
      const controller = new AbortController();
      const running = run(program.endlessLoop, { signal: controller.signal });
      setTimeout(() => controller.abort(), 200);
      const result = await running;
      expect(result).toMatchObject({ status: 'cancelled', error: { code: 'cancelled' } });
      expect(result.durationMs).toBeLessThan(10_000);
    });

    test('runs many programs at once without mixing them up', async () => {
      const results = await Promise.all(Array.from({ length: 8 }, () => run(program.callsTool)));
      for (const result of results) expect(result.value).toEqual({ text: 'hi' });
    });
  });
}
