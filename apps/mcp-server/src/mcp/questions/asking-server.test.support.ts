import { type AuditEvent, CodeExecutorError, silentLogger } from '@code-executor/contracts';
import { type FakeProgram, fakeSandbox, fakeToolSource } from '@code-executor/contracts/testing';
import { createExecutor, typescript } from '@code-executor/executor';

import { introductions } from '../../introductions.js';
import { executionTool } from '../../toolsets/core/execution-tool.js';
import { KeptCalls } from '../calls/kept-calls.js';
import type { ServerOptions } from '../create-server.js';

/** Three calls at once, of which two need an answer; its value is what came of each. */
export const threeCalls: FakeProgram = async ({ tools }) => {
  const calls = ['read a', 'remove b', 'remove c'].map((call) => {
    const [name, path = ''] = call.split(' ');
    return tools.callTool(`mcp__files__${name ?? ''}`, { path }).then(
      ({ content }) => content[0]?.['text'],
      (error: unknown) => CodeExecutorError.from(error).code,
    );
  });
  return { value: (await Promise.all(calls)) as string[] };
};

/** The options of a server whose programs need a person for `mcp__files__remove`. */
export function askingServer(program: FakeProgram = threeCalls): ServerOptions & { events: AuditEvent[] } {
  const events: AuditEvent[] = [];
  const executor = createExecutor({
    tools: fakeToolSource({
      mcp__files__read: () => 'content',
      mcp__files__remove: ({ path }) => `removed ${path as string}`,
    }),
    languages: [{ ...typescript, sandbox: fakeSandbox(program) }],
    policy: { servers: { files: { ask: ['remove'] } } },
    audit: (event) => void events.push(event),
  });
  const tool = executionTool(typescript, introductions.typescript, {
    host: () => Promise.resolve({ executor }),
    servers: ['files'],
  });
  return {
    version: '1.2.3',
    instructions: () => '',
    tools: () => Promise.resolve([tool]),
    kept: new KeptCalls(),
    logger: silentLogger,
    events,
  };
}

export const asking = { name: 'executeTypescript', arguments: { code: 'x', allowedTools: ['files'] } };
