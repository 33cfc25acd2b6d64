import { type AuditRecord, type ExecutionResult } from '@code-executor/contracts';
import { type FakeProgram, fakeSandbox, fakeToolSource } from '@code-executor/contracts/testing';
import { type ExecutorOptions } from './executor.js';
import { type ExecutionLanguage, type RunnableLanguage } from './languages/execution-language.js';
import { typescript } from './languages/typescript.js';
import { createExecutor } from './queued-executor.js';

export const sandboxOf = (program: FakeProgram, language = typescript.name) =>
  fakeSandbox(async (request) => ({ durationMs: 4.6, ...(await program(request)) }), { language });

/** A language whose programs are functions. */
export function runs(program: FakeProgram, language: ExecutionLanguage = typescript): RunnableLanguage {
  return { ...language, sandbox: sandboxOf(program, language.name) };
}

export const tools = () =>
  fakeToolSource({
    mcp__test__echo: (args) => ({ text: args['text'] }),
    mcp__test__fail: () => {
      throw new Error('it failed');
    },
  });

export function executorOf(program: FakeProgram, options: Partial<ExecutorOptions> = {}) {
  const events: AuditRecord[] = [];
  const executor = createExecutor({
    tools: tools(),
    languages: [runs(program)],
    audit: (event) => void events.push(event),
    ...options,
  });
  return { executor, executions: () => events.filter((event) => event.type === 'execution') };
}

/** Resolves when the signal fires, as a sandbox does. */
export async function untilCancelled(signal: AbortSignal | undefined): Promise<Partial<ExecutionResult>> {
  if (!signal?.aborted) await new Promise((resolve) => signal?.addEventListener('abort', resolve));
  return { status: 'cancelled', error: { code: 'cancelled', message: 'Cancelled.' } };
}
