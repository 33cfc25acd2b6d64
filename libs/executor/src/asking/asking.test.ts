import { CodeExecutorError, type ToolName } from '@code-executor/contracts';
import { fakeToolSource } from '@code-executor/contracts/testing';
import type { ToolPolicy } from '@code-executor/proxy';
import { afterEach, describe, expect, jest, test } from '@jest/globals';

import { executorOf } from '../executor-of.test.support.js';
import type { CallAnswer, Execution, ExecuteOptions, Question } from '../index.js';

const source = () =>
  fakeToolSource({
    mcp__files__read: () => 'content',
    mcp__files__remove: (args) => `removed ${args['path'] as string}`,
  });

const policy: ToolPolicy = { servers: { files: { ask: ['remove'] } } };

/** Runs a program that makes these calls at once; its result is what came of each: a value, or the code of an error. */
function startCalls(calls: readonly [ToolName, string][], options: ExecuteOptions = { canAsk: true }) {
  const { executor } = executorOf(
    async ({ tools }) => {
      const outcomes = calls.map(([name, path]) =>
        tools.callTool(name, { path }).then(
          ({ content }) => String(content[0]?.['text']),
          (reason: unknown) => CodeExecutorError.from(reason).code,
        ),
      );
      return { value: await Promise.all(outcomes) };
    },
    { tools: source(), policy },
  );
  return executor.start({ code: 'x', allowedTools: ['files'] }, options);
}

const threeCalls: [ToolName, string][] = [
  ['mcp__files__read', 'a'],
  ['mcp__files__remove', 'b'],
  ['mcp__files__remove', 'c'],
];

async function questionOf(execution: Execution): Promise<Question> {
  const question = await execution.nextQuestion();
  if (!question) throw new Error('The execution has ended without a question.');
  return question;
}

/** The same answer for every call of a question. */
const all = ({ calls }: Question, answer: CallAnswer) =>
  Object.fromEntries(calls.map(({ key }) => [key, answer]));

const resultOf = async (execution: Execution) => (await execution.result).result;

afterEach(() => {
  jest.useRealTimers();
});

describe('three calls at once, of which two need an answer', () => {
  test('become one question that names both, with their arguments and the rule', async () => {
    const execution = startCalls(threeCalls);
    const question = await questionOf(execution);
    const waiting = { toolName: 'mcp__files__remove', server: 'files', why: 'policy.servers.files.ask' };
    expect(question).toEqual({
      id: 'q1',
      executionId: execution.id,
      calls: [
        { key: 'c1', ...waiting, args: { path: 'b' } },
        { key: 'c2', ...waiting, args: { path: 'c' } },
      ],
    });
    expect(execution.questions).toEqual([question]);
    execution.answer('q1', all(question, { decision: 'once' }));
    expect(await resultOf(execution)).toEqual(['content', 'removed b', 'removed c']);
    expect(execution.questions).toEqual([]);
  });

  test('can be allowed in part; the others stay open, under the same question', async () => {
    const execution = startCalls(threeCalls);
    const { id } = await questionOf(execution);
    execution.answer(id, { c1: { decision: 'denied' } });
    const rest = await questionOf(execution);
    expect(rest).toMatchObject({ id, calls: [{ key: 'c2' }] });
    execution.answer(id, { c2: { decision: 'once' } });
    expect(await resultOf(execution)).toEqual(['content', 'permission_denied', 'removed c']);
  });

  test('are refused as cancelled if the question is dismissed', async () => {
    const execution = startCalls(threeCalls);
    const question = await questionOf(execution);
    execution.answer(question.id, all(question, { decision: 'cancelled' }));
    expect(await resultOf(execution)).toEqual(['content', 'cancelled', 'cancelled']);
  });

  test('are refused after ten minutes without an answer', async () => {
    jest.useFakeTimers({ doNotFake: ['setImmediate', 'queueMicrotask', 'nextTick'] });
    const execution = startCalls(threeCalls);
    const next = questionOf(execution);
    for (let i = 0; i < 50; i++) {
      await new Promise(setImmediate);
      jest.advanceTimersByTime(1);
    }
    const question = await next;
    jest.advanceTimersByTime(599_000);
    expect(execution.questions).toEqual([question]);
    jest.advanceTimersByTime(1_000);
    expect(execution.questions).toEqual([]);
    expect(await resultOf(execution)).toEqual(['content', 'deadline_exceeded', 'deadline_exceeded']);
  });

  test('are refused at once if nobody can be asked', async () => {
    const execution = startCalls(threeCalls, {});
    expect(await resultOf(execution)).toEqual(['content', 'failed_precondition', 'failed_precondition']);
    expect(await execution.nextQuestion()).toBeUndefined();
  });

  test('end with their execution', async () => {
    const execution = startCalls(threeCalls);
    const question = await questionOf(execution);
    execution.cancel();
    expect(await resultOf(execution)).toEqual(['content', 'cancelled', 'cancelled']);
    execution.answer(question.id, all(question, { decision: 'once' }));
    expect(execution.questions).toEqual([]);
    expect(await execution.nextQuestion()).toBeUndefined();
  });
});

describe('an answer', () => {
  test('for the whole run covers the calls that wait and those that follow', async () => {
    const execution = startCalls([...threeCalls, ['mcp__files__remove', 'd']]);
    const { id } = await questionOf(execution);
    execution.answer(id, { c2: { decision: 'run' } });
    expect(await resultOf(execution)).toEqual(['content', 'removed b', 'removed c', 'removed d']);
  });

  test('for two calls covers two, and the third is asked about', async () => {
    const execution = startCalls([...threeCalls, ['mcp__files__remove', 'd']]);
    const { id } = await questionOf(execution);
    execution.answer(id, { c1: { decision: 'times', times: 2 } });
    expect(await questionOf(execution)).toMatchObject({ id, calls: [{ key: 'c3', args: { path: 'd' } }] });
    execution.answer(id, { c3: { decision: 'denied' } });
    expect(await resultOf(execution)).toEqual(['content', 'removed b', 'removed c', 'permission_denied']);
  });

  test('that denies a call also denies the same call again, without another question', async () => {
    const same: [ToolName, string][] = [
      ['mcp__files__remove', 'b'],
      ['mcp__files__remove', 'b'],
    ];
    const execution = startCalls(same);
    const { id } = await questionOf(execution);
    execution.answer(id, { c1: { decision: 'denied' } });
    expect(await resultOf(execution)).toEqual(['permission_denied', 'permission_denied']);
  });

  test.each<[string, string, Record<string, unknown>]>([
    ['an unknown question', 'q2', { c1: { decision: 'once' } }],
    ['an unknown call', 'q1', { c9: { decision: 'once' } }],
    ['no times', 'q1', { c1: { decision: 'times', times: 0 } }],
    ['a part of a time', 'q1', { c1: { decision: 'times', times: 1.5 } }],
    ['an unknown decision', 'q1', { c1: { decision: 'yes' } }],
    ['a key that every object has', 'q1', { constructor: { decision: 'once' } }],
    ['nothing', 'q1', { c1: undefined }],
  ])('that says %s is ignored', async (_name, id, answers) => {
    const execution = startCalls([['mcp__files__remove', 'b']]);
    const question = await questionOf(execution);
    execution.answer(id, answers as Record<string, CallAnswer>);
    expect(execution.questions).toEqual([question]);
    execution.answer('q1', { c1: { decision: 'once' } });
    expect(await resultOf(execution)).toEqual(['removed b']);
  });
});

describe('the questions of an execution', () => {
  test('have new ids each time, so that a late answer to one is none to the next', async () => {
    const { executor } = executorOf(
      async ({ tools }) => {
        await tools.callTool('mcp__files__remove', { path: 'b' });
        await tools.callTool('mcp__files__remove', { path: 'c' });
        return {};
      },
      { tools: source(), policy },
    );
    const execution = executor.start({ code: 'x', allowedTools: ['files'] }, { canAsk: true });
    const first = await questionOf(execution);
    execution.answer(first.id, all(first, { decision: 'once' }));
    const second = await questionOf(execution);
    expect(second).toMatchObject({ id: 'q2', calls: [{ key: 'c2', args: { path: 'c' } }] });
    execution.answer(first.id, all(second, { decision: 'once' }));
    expect(execution.questions).toEqual([second]);
    execution.answer(second.id, all(second, { decision: 'once' }));
    expect(await execution.result).toMatchObject({ success: true });
  });

  test('name at most 32 calls each, and 256 of one execution in total', async () => {
    const calls = Array.from({ length: 300 }, (_, i): [ToolName, string] => [
      'mcp__files__remove',
      String(i),
    ]);
    const execution = startCalls(calls);
    const sizes: number[] = [];
    for (let question; (question = await execution.nextQuestion());) {
      sizes.push(question.calls.length);
      execution.answer(question.id, all(question, { decision: 'once' }));
    }
    expect(sizes).toEqual(Array<number>(8).fill(32));
    const outcomes = (await resultOf(execution)) as string[];
    expect(outcomes.filter((outcome) => outcome.startsWith('removed'))).toHaveLength(256);
    expect(outcomes.filter((outcome) => outcome === 'resource_exhausted')).toHaveLength(44);
  });

  test('are waited for until the signal of whoever waits fires', async () => {
    const execution = startCalls(threeCalls);
    const stop = new AbortController();
    const { id } = await questionOf(execution);
    execution.answer(id, { c1: { decision: 'run' } });
    const reason = new Error('gone');
    const waiting = execution.nextQuestion(stop.signal);
    stop.abort(reason);
    await expect(waiting).rejects.toBe(reason);
    await expect(execution.nextQuestion(stop.signal)).rejects.toBe(reason);
    await execution.result;
  });

  test('stop the clock only while no other call is under way', async () => {
    let finishRead: () => void = () => undefined;
    const tools = fakeToolSource({
      mcp__files__read: () => new Promise<string>((resolve) => (finishRead = () => resolve('content'))),
      mcp__files__remove: () => 'removed',
    });
    const states: boolean[] = [];
    const { executor } = executorOf(
      async ({ tools: given, pause }) => {
        pause?.onChange(() => states.push(pause.isPaused));
        const read = given.callTool('mcp__files__read', {});
        const removed = given.callTool('mcp__files__remove', {});
        await Promise.all([read, removed]);
        return {};
      },
      { tools, policy },
    );
    const execution = executor.start({ code: 'x', allowedTools: ['files'] }, { canAsk: true });
    const { id } = await questionOf(execution);
    expect([execution.state, states]).toEqual(['running', []]);
    finishRead();
    while (execution.state === 'running') await new Promise(setImmediate);
    expect([execution.state, states]).toEqual(['waiting', [true]]);
    execution.answer(id, { c1: { decision: 'once' } });
    await execution.result;
    expect(states).toEqual([true, false]);
  });
});

describe('the audit', () => {
  test('has what came of each question, and of the calls that an answer covers', async () => {
    const events: object[] = [];
    const { executor } = executorOf(
      async ({ tools }) => {
        await tools.callTool('mcp__files__remove', { path: 'b' });
        await tools.callTool('mcp__files__remove', { path: 'c' });
        return {};
      },
      { tools: source(), policy, audit: (event) => void events.push(event) },
    );
    const execution = executor.start({ code: 'x', allowedTools: ['files'] }, { canAsk: true });
    execution.answer((await questionOf(execution)).id, { c1: { decision: 'run' } });
    await execution.result;
    const asked = {
      type: 'ask',
      action: 'run',
      status: 'success',
      toolName: 'mcp__files__remove',
      server: 'files',
    };
    expect(events.filter((event) => 'type' in event && event.type === 'ask')).toEqual(
      [asked, asked].map((event) =>
        expect.objectContaining({ ...event, executionId: execution.id, clientId: 'embedder' }),
      ),
    );
  });
});
