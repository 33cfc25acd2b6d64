import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

import type {
  Caller,
  ExecutionRequest,
  ExecutionResult,
  OutputChunk,
  Sandbox,
  SandboxStatus,
} from '@code-executor/contracts';
import { fakeToolSource } from '@code-executor/contracts/testing';
import { afterEach, describe, expect, jest, test } from '@jest/globals';

import {
  createExecutor,
  type Execution,
  Executions,
  type Executor,
  type ExecutorOptions,
  typescript,
} from './index.js';

/** A program that the test leads: it prints and ends when told to, or when it is cancelled. */
class LedProgram {
  constructor(readonly request: ExecutionRequest) {}

  print: (text: string) => void = () => undefined;
  end: (result?: Partial<ExecutionResult>) => void = () => undefined;
}

/** A sandbox whose programs a test leads; `code` is the number of the program. */
class LedSandbox implements Sandbox {
  readonly language = 'typescript';
  readonly programs: LedProgram[] = [];

  async execute(request: ExecutionRequest): Promise<ExecutionResult> {
    const { onOutput, signal } = request;
    const program = new LedProgram(request);
    this.programs.push(program);
    const result = await new Promise<Partial<ExecutionResult>>((resolve) => {
      program.print = (text) => onOutput?.({ stream: 'stdout', text });
      program.end = (given = {}) => resolve(given);
      const cancelled = {
        status: 'cancelled',
        error: { code: 'cancelled', message: 'It was stopped.' },
      } as const;
      signal?.addEventListener('abort', () => resolve(cancelled));
    });
    const whole = { stdout: '', stderr: '', durationMs: 1, truncated: false, isolation: 'portable' } as const;
    return { status: 'succeeded', ...whole, ...result };
  }

  status(): Promise<SandboxStatus> {
    return Promise.resolve({ language: this.language, isolation: 'portable' });
  }

  close() {
    return Promise.resolve();
  }
}

const ada: Caller = { id: 'ada', kind: 'http' };
const bob: Caller = { id: 'bob', kind: 'http' };

const open: Executor[] = [];
afterEach(async () => {
  jest.useRealTimers();
  for (const executor of open.splice(0)) await executor.close();
});

function executorOf(options: Partial<ExecutorOptions> = {}) {
  const sandbox = new LedSandbox();
  const executor = createExecutor({
    tools: fakeToolSource({}),
    languages: [{ ...typescript, sandbox }],
    ...options,
  });
  open.push(executor);
  /** Starts a program, and waits until it runs. */
  const start = async (caller: Caller): Promise<[Execution, LedProgram]> => {
    const before = sandbox.programs.length;
    const execution = executor.start({ code: 'x' }, { caller });
    while (sandbox.programs.length === before) await new Promise(setImmediate);
    return [execution, sandbox.programs.at(-1) as LedProgram];
  };
  return { executor, start };
}

const textOf = async (output: AsyncIterable<OutputChunk>) => {
  let text = '';
  for await (const chunk of output) text += chunk.text;
  return text;
};

describe('an execution', () => {
  test('reports its state, from the queue to its end', async () => {
    const { executor, start } = executorOf({ queue: { maxConcurrent: 1 } });
    const [first, program] = await start(ada);
    expect(first.summary).toEqual({
      id: expect.stringMatching(/^exec_\d{20}$/) as unknown,
      language: 'typescript',
      state: 'running',
      askedAt: expect.stringMatching(/^\d{4}-.*Z$/) as unknown,
    });
    const second = executor.start({ code: 'x' }, { caller: ada });
    const third = executor.start({ code: 'x' }, { caller: ada });
    expect([second, third].map(({ summary }) => [summary.state, summary.queuePosition])).toEqual([
      ['queued', 1],
      ['queued', 2],
    ]);
    second.cancel();
    expect(await second.result).toMatchObject({ status: 'cancelled' });
    expect(third.summary.queuePosition).toBe(1);
    program.end({ value: 1 });
    expect(await first.result).toMatchObject({ success: true, result: 1, executionId: first.id });
    expect(first.summary).toMatchObject({ state: 'finished', status: 'succeeded' });
    expect(first.summary).not.toHaveProperty('queuePosition');
  });

  test('can be followed by several readers, each from its own offset', async () => {
    const { start } = executorOf();
    const [execution, program] = await start(ada);
    program.print('one\n');
    const all = textOf(execution.output());
    expect(await execution.readOutput()).toEqual({
      chunks: [{ stream: 'stdout', text: 'one\n' }],
      nextOffset: 4,
      omitted: 0,
      isComplete: false,
    });
    const next = execution.readOutput({ fromOffset: 4, waitMs: 60_000 });
    program.print('two\n');
    expect(await next).toMatchObject({ chunks: [{ text: 'two\n' }], nextOffset: 8 });
    const rest = textOf(execution.output(6));
    program.print('three\n');
    program.end();
    expect(await all).toBe('one\ntwo\nthree\n');
    expect(await rest).toBe('o\nthree\n');
    expect(await execution.readOutput({ fromOffset: 14, waitMs: 60_000 })).toEqual({
      chunks: [],
      nextOffset: 14,
      omitted: 0,
      isComplete: true,
    });
  });

  test('answers a reader after waitMs even if nothing was printed', async () => {
    const { start } = executorOf();
    const [execution] = await start(ada);
    expect(await execution.readOutput({ waitMs: 1 })).toMatchObject({ chunks: [], isComplete: false });
  });

  test('keeps about the last million characters, and reports the number of earlier ones', async () => {
    const { start } = executorOf();
    const [execution, program] = await start(ada);
    for (let i = 0; i < 300; i++) program.print('x'.repeat(5000));
    const { chunks, nextOffset, omitted } = await execution.readOutput();
    expect(nextOffset).toBe(1_500_000);
    const kept = chunks.reduce((sum, { text }) => sum + text.length, 0);
    expect(kept).toBeGreaterThan(900_000);
    expect(kept).toBeLessThanOrEqual(1_000_000);
    expect(omitted + kept).toBe(1_500_000);
  });

  test.each([NaN, -1, 0.5, Infinity])('refuses %d as an offset of its output', async (fromOffset) => {
    const { start } = executorOf();
    const [execution] = await start(ada);
    const refused = { code: 'invalid_argument' };
    await expect(execution.readOutput({ fromOffset })).rejects.toMatchObject(refused);
    await expect(textOf(execution.output(fromOffset))).rejects.toMatchObject(refused);
  });

  test('keeps less if a program switches between its streams with every character', async () => {
    const { start } = executorOf();
    const [execution, program] = await start(ada);
    for (let i = 0; i < 40_000; i++) {
      program.request.onOutput?.({ stream: i % 2 === 0 ? 'stdout' : 'stderr', text: 'x' });
    }
    const { chunks, omitted } = await execution.readOutput();
    expect(chunks.length).toBeLessThan(1_000_000 / 64);
    expect(omitted + chunks.length).toBe(40_000);
  });

  test('releases everything that its run needed at its end', async () => {
    setFlagsFromString('--expose-gc');
    const collect = runInNewContext('gc') as () => void;
    const { executor } = executorOf();
    const refuse = async () => {
      const request = { code: 'x'.repeat(200_000), marker: {} };
      const execution = executor.start(request, { caller: ada });
      await execution.result;
      return { execution, request: new WeakRef(request) };
    };
    const { execution, request } = await refuse();
    await new Promise(setImmediate);
    collect();
    expect(execution.state).toBe('finished');
    expect(request.deref()).toBeUndefined();
  });

  test('reports the reason for which it was cancelled', async () => {
    const { start } = executorOf();
    const [execution] = await start(ada);
    execution.cancel('Bob needs the\u001b[31m machine.');
    execution.cancel('Another reason.');
    expect(await execution.result).toMatchObject({
      status: 'cancelled',
      errorCode: 'cancelled',
      error: 'It was stopped. The reason: Bob needs the�[31m machine.',
    });
  });
});

describe('an execution that asks a person', () => {
  test('waits with its clock stopped while all of its calls wait, and no longer', async () => {
    const tools = fakeToolSource({ mcp__test__ask: () => 'yes' });
    const policy = { servers: { test: { ask: ['*'] } } };
    const sandbox = new LedSandbox();
    const asking = createExecutor({ tools, policy, languages: [{ ...typescript, sandbox }] });
    open.push(asking);
    const execution = asking.start({ code: 'x', allowedTools: ['test'] }, { caller: ada, canAsk: true });
    while (!sandbox.programs[0]) await new Promise(setImmediate);
    const { request, end } = sandbox.programs[0];
    const changes: boolean[] = [];
    request.pause?.onChange(() => changes.push(request.pause?.isPaused === true));
    const calls = [1, 2].map(() => request.tools.callTool('mcp__test__ask', {}));
    const question = await execution.nextQuestion();
    expect(execution.state).toBe('waiting');
    expect(asking.list({ state: 'waiting' }, ada).map(({ id }) => id)).toEqual([execution.id]);
    execution.answer(question?.id ?? '', { c1: { decision: 'once' } });
    await calls[0];
    expect(execution.state).toBe('waiting');
    execution.answer(question?.id ?? '', { c2: { decision: 'once' } });
    await calls[1];
    expect(execution.state).toBe('running');
    expect(changes).toEqual([true, false, true, false]);
    end();
    expect(await execution.result).toMatchObject({ success: true });
  });
});

describe('the executions of an executor', () => {
  test('are visible only to their own caller', async () => {
    const { executor, start } = executorOf();
    const [ofAda] = await start(ada);
    const [ofBob] = await start(bob);
    expect(executor.get(ofAda.id, ada)).toBe(ofAda);
    expect(executor.get(ofAda.id, bob)).toBeUndefined();
    expect(executor.get(ofAda.id, { id: 'ada', kind: 'stdio' })).toBeUndefined();
    expect(executor.list({}, ada).map(({ id }) => id)).toEqual([ofAda.id]);
    expect(executor.list({}, bob).map(({ id }) => id)).toEqual([ofBob.id]);
  });

  test('are not lost to those of another caller', async () => {
    const { executor, start } = executorOf({ executions: new Executions({ maxFinished: 3 }) });
    const ended: [string, Caller][] = [];
    for (const caller of [ada, bob, bob, bob, bob]) {
      const [execution, program] = await start(caller);
      program.end();
      await execution.result;
      ended.push([execution.id, caller]);
    }
    expect(ended.map(([id, caller]) => executor.get(id, caller) !== undefined)).toEqual([
      true,
      false,
      false,
      true,
      true,
    ]);
  });

  test('can be looked up after their end, for a bounded time and in bounded number', async () => {
    jest.useFakeTimers({ doNotFake: ['setImmediate', 'queueMicrotask', 'nextTick'] });
    const { executor, start } = executorOf({
      executions: new Executions({ keepFinishedMs: 1000, maxFinished: 2 }),
    });
    const ids: string[] = [];
    for (let i = 0; i < 3; i++) {
      const [execution, program] = await start(ada);
      ids.push(execution.id);
      program.print('hello');
      program.end();
      await execution.result;
    }
    const [running] = await start(ada);
    const finished = () => executor.list({ state: 'finished' }, ada).map(({ id }) => id);
    expect(finished().sort()).toEqual(ids.slice(1).sort());
    expect(executor.list({ state: 'running' }, ada).map(({ id }) => id)).toEqual([running.id]);
    expect(await textOf(executor.get(ids[2] ?? '', ada)?.output() ?? running.output())).toBe('hello');
    jest.advanceTimersByTime(999);
    expect(finished()).toHaveLength(2);
    jest.advanceTimersByTime(2);
    expect(finished()).toEqual([]);
    expect(executor.get(ids[2] ?? '', ada)).toBeUndefined();
  });
});
