import { setTimeout as delay } from 'node:timers/promises';

import { noPermissions, type ExecutionRequest, type Sandbox } from '../sandbox.js';
import { fakeToolSource } from './fake-tool-source.js';
import { jestGlobals } from './jest-globals.js';
import { forgedFrame, programsIn, type SandboxPrograms, shownPicture } from './sandbox-programs.js';

/** The suite that every `Sandbox` must pass; its programs are in `sandbox-programs.ts`, by language. */
export function describeSandbox(name: string, create: () => Promise<Sandbox>): void {
  const { afterAll, beforeAll, describe, expect, test } = jestGlobals();
  describe(`${name} as a Sandbox`, () => {
    let sandbox: Sandbox;
    let program: SandboxPrograms;
    beforeAll(async () => {
      sandbox = await create();
      const programs = programsIn[sandbox.language];
      if (!programs)
        throw new Error(`There are no programs in ${sandbox.language}; write them in sandbox-programs.ts.`);
      program = programs;
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
        mcp__test__meet: meetingOf(8),
      });
    const run = (code: string, request: Partial<ExecutionRequest> = {}) =>
      sandbox.execute({ code, timeoutMs: 20_000, permissions: noPermissions, tools: tools(), ...request });

    test('returns the value of the program', async () => {
      const result = await run(program.value);
      expect(result).toMatchObject({ status: 'succeeded', value: { answer: 42 }, stdout: '', stderr: '' });
      expect(result.truncated).toBe(false);
      expect(result.durationMs).toBeGreaterThan(0);
    });

    test('has no value if the program has none', async () => {
      const result = await run(program.noValue);
      expect(result.status).toBe('succeeded');
      expect(result).not.toHaveProperty('value');
    });

    test('captures stdout and stderr apart, and streams them; text that looks like a frame stays text', async () => {
      const streamed = { stdout: '', stderr: '' };
      const result = await run(program.prints, {
        onOutput: ({ stream, text }) => (streamed[stream] += text),
      });
      const printed = { stdout: `out\n${forgedFrame}\n`, stderr: 'err\n' };
      expect(result).toMatchObject({ status: 'succeeded', ...printed });
      expect(result).not.toHaveProperty('value');
      expect(streamed).toEqual(printed);
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

    test('does not count the time in which a person is asked', async () => {
      const timeoutMs = 1500;
      let isPaused = false;
      const listeners: (() => void)[] = [];
      const pauseTo = (value: boolean) => {
        isPaused = value;
        for (const listener of listeners) listener();
      };
      const pause = {
        get isPaused() {
          return isPaused;
        },
        onChange: (listener: () => void) => listeners.push(listener),
      };
      const asking = fakeToolSource({
        async mcp__test__echo(args) {
          pauseTo(true);
          await delay(timeoutMs + 200);
          pauseTo(false);
          return { text: args['text'] };
        },
      });
      const result = await run(program.callsTool, { timeoutMs, pause, tools: asking });
      expect(result).toMatchObject({ status: 'succeeded', value: { text: 'hi' } });
      expect(result.durationMs).toBeLessThan(timeoutMs);
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

    test('throws the errors of tools into the program, which can catch them', async () => {
      expect(await run(program.catchesToolErrors)).toMatchObject({
        status: 'succeeded',
        value: [
          { message: 'it failed', code: 'tool_error', tool: 'mcp__test__fail' },
          {
            message: 'Tool mcp__test__absent does not exist.',
            code: 'not_found',
            tool: 'mcp__test__absent',
          },
        ],
      });
    });

    test('makes calls concurrently', async () => {
      const result = await run(program.callsAtOnce);
      expect(result.value).toEqual(Array.from({ length: 8 }, () => 'met'));
    });

    test('finishes a call that the program did not wait for', async () => {
      const source = tools();
      const result = await run(program.leavesCall, { tools: source });
      expect(result).toMatchObject({ status: 'succeeded', value: 'end', stderr: '' });
      expect(source.calls).toEqual([{ name: 'mcp__test__echo', args: { text: 'left' } }]);
    });

    test('discovers the tools', async () => {
      const result = await run(program.discovers);
      expect(result.value).toEqual(['mcp__test__echo', 'mcp__test__fail', 'mcp__test__meet']);
    });

    test('fails a program that exits before it has a value', async () => {
      expect(await run(program.exitsEarly)).toMatchObject({
        status: 'failed',
        error: { code: 'ended_early' },
      });
    });

    test('reports that a value is NaN', async () => {
      const result = await run(program.notANumber);
      expect(result).toMatchObject({ status: 'succeeded', value: null });
      expect(result.valueNote).toMatch(/\bnan\b/i);
    });

    test('cuts a value that is too large, and reports it', async () => {
      const result = await run(program.largeValue);
      expect(result).toMatchObject({ status: 'succeeded', truncated: true });
      expect(result.value).toBe(`"${'x'.repeat(99_999)}`);
      expect(result.valueNote).toBe(
        'The value is 200002 characters of JSON; these are the first 100000. Return less.',
      );
    });

    test('reports that a value is not JSON, in its note or as a failure', async () => {
      const { status, value, valueNote, error } = await run(program.notJson);
      if (status === 'succeeded') {
        expect(typeof value).toBe('string');
        expect(valueNote).toContain('function');
      } else {
        expect(error).toMatchObject({ code: 'not_serializable' });
        expect(error?.message).toContain('function');
      }
    });

    test('shows pictures beside the value, and prints anything else', async () => {
      const picture = { type: 'image', mimeType: 'image/png', data: shownPicture };
      expect(await run(program.shows)).toMatchObject({
        status: 'succeeded',
        stdout: 'plain\n',
        value: 'seen',
        content: [picture, picture],
      });
    });

    test('gives each program a process that no other has used, with and without spares', async () => {
      expect((await run(program.leavesTraces)).value).toBe(false);
      while ((await sandbox.status()).spares?.ready === 0) await delay(20);
      expect((await run(program.leavesTraces)).value).toBe(false);
    });

    test('cancels when the signal fires', async () => {
      const controller = new AbortController();
      let cancelledAt = 0;
      const result = await run(`${program.prints}\n${program.endlessLoop}`, {
        timeoutMs: 60_000,
        signal: controller.signal,
        // It runs, which may take a while on a busy machine.
        onOutput: () => {
          cancelledAt ||= performance.now();
          controller.abort();
        },
      });
      expect(performance.now() - cancelledAt).toBeLessThan(10_000);
      expect(result).toMatchObject({ status: 'cancelled', error: { code: 'cancelled' } });
    });

    test('runs many programs at once without mixing them up', async () => {
      const results = await Promise.all(Array.from({ length: 8 }, () => run(program.callsTool)));
      for (const result of results) expect(result.value).toEqual({ text: 'hi' });
    });
  });
}

/** A tool that answers its calls once there are this many. */
function meetingOf(count: number): () => Promise<string> {
  let open: () => void = () => undefined;
  const all = new Promise<void>((resolve) => (open = resolve));
  let waiting = 0;
  return () => {
    if (++waiting === count) open();
    return all.then(() => 'met');
  };
}
