import type { Caller, OutputChunk } from '@code-executor/contracts';
import { fakeSandbox, fakeToolSource } from '@code-executor/contracts/testing';
import { createExecutor, type Executor, typescript } from '@code-executor/executor';
import { afterEach, describe, expect, test } from '@jest/globals';

import { contextOf } from '../../tool-context.test.support.js';
import { getExecutionTool } from './get-execution.js';

const ada: Caller = { id: 'ada', kind: 'http' };
const bob: Caller = { id: 'bob', kind: 'http' };

let executor: Executor;
let print: (chunk: OutputChunk) => void;
let end: () => void;
afterEach(() => executor.close());

function start(caller = ada) {
  const sandbox = fakeSandbox(async ({ onOutput, signal }) => {
    print = (chunk) => onOutput?.(chunk);
    const cancelled = await new Promise((resolve) => {
      end = () => resolve(false);
      signal?.addEventListener('abort', () => resolve(true));
    });
    return cancelled
      ? { status: 'cancelled', error: { code: 'cancelled', message: 'Stopped.' } }
      : { value: 42 };
  });
  executor = createExecutor({ tools: fakeToolSource({}), languages: [{ ...typescript, sandbox }] });
  return executor.start({ code: 'x' }, { caller });
}

async function ask(args: object, caller = ada) {
  const tool = getExecutionTool({ host: () => Promise.resolve({ executor }) });
  const { structured, isError } = await tool.call(args, contextOf(caller));
  return { ...(structured as Record<string, unknown>), isError };
}

const begun = () => new Promise(setImmediate);

describe('getExecution', () => {
  test('shows the output of a running program page by page', async () => {
    const { id } = start();
    await begun();
    print({ stream: 'stdout', text: 'x'.repeat(12_000) });
    const executionId = id;
    const first = await ask({ executionId });
    expect(first).toMatchObject({ executionId, state: 'running', nextOffset: 10_000, isError: false });
    expect(first).toHaveProperty('output', 'x'.repeat(10_000));
    expect(await ask({ executionId, fromOffset: 10_000 })).toMatchObject({
      output: 'x'.repeat(2000),
      nextOffset: 12_000,
    });
  });

  test('waits for the end, and then has the report that the call would have had', async () => {
    const { id } = start();
    await begun();
    const asked = ask({ executionId: id, waitMs: 50_000 });
    end();
    expect(await asked).toEqual({
      executionId: id,
      state: 'finished',
      status: 'succeeded',
      report: expect.objectContaining({ success: true, result: 42 }) as unknown,
      isError: false,
    });
  });

  test('cancels', async () => {
    const { id } = start();
    await begun();
    expect(await ask({ executionId: id, cancel: true })).toMatchObject({
      state: 'finished',
      status: 'cancelled',
    });
  });

  test('finds and lists the executions of its caller alone', async () => {
    const { id } = start();
    await begun();
    expect(await ask({ executionId: id, cancel: true }, bob)).toMatchObject({
      isError: true,
      errorCode: 'not_found',
    });
    expect(await ask({}, bob)).toEqual({ executions: [], isError: false });
    expect(await ask({})).toMatchObject({ executions: [{ id, state: 'running' }] });
  });

  test.each([
    [{ id: 'x' }, 'Unknown parameter "id"; known are executionId, waitMs, fromOffset, cancel.'],
    [{ executionId: 1 }, 'Parameter executionId must be the id of an execution, at most 64 characters.'],
    [{ executionId: 'x', waitMs: 50_001 }, 'Parameter waitMs must be an integer from 0 to 50000.'],
    [{ executionId: 'x', fromOffset: -1 }, 'Parameter fromOffset must be an integer of 0 or more.'],
    [{ executionId: 'x', cancel: 'yes' }, 'Parameter cancel must be true or false.'],
    [{ __proto__: null, toString: 1 }, 'Unknown parameter "toString"'],
  ])('says what is wrong with %j', async (args, error) => {
    start();
    expect(await ask(args)).toMatchObject({
      isError: true,
      errorCode: 'invalid_argument',
      error: expect.stringContaining(error) as unknown,
    });
  });
});
