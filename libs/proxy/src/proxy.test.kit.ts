import { CodeExecutorError, type ToolName, type ToolSource } from '@code-executor/contracts';
import { fakeToolSource } from '@code-executor/contracts/testing';

export const fakeTools = () =>
  fakeToolSource({
    mcp__test__echo: (args) => ({ text: args['text'] }),
    mcp__test__fail: () => {
      throw new Error('it failed');
    },
  });

/** `ok`, or the code of the error. */
export const codeOf = (call: Promise<unknown>): Promise<string> =>
  call.then(
    () => 'ok',
    (reason: unknown) => CodeExecutorError.from(reason).code,
  );

/** A source whose calls end when the test says so. */
export function heldSource() {
  const running: { name: string; answer: (text?: string) => void; signal?: AbortSignal }[] = [];
  let most = 0;
  let onStart: () => void = () => undefined;
  const tools: ToolSource = {
    listTools: ({ name = 'mcp__test__held' } = {}) =>
      Promise.resolve({
        tools: [{ name: name as ToolName, server: 'test', parameters: {} }],
        failedServers: [],
      }),
    callTool: (name, args, { signal } = {}) =>
      new Promise((resolve) => {
        const entry = {
          name: typeof args['n'] === 'number' ? String(args['n']) : name,
          ...(signal && { signal }),
          answer: (text = 'ok') => {
            running.splice(running.indexOf(entry), 1);
            resolve({ content: [{ type: 'text', text }] });
          },
        };
        running.push(entry);
        most = Math.max(most, running.length);
        onStart();
      }),
  };
  return {
    tools,
    running,
    most: () => most,
    /** Waits until so many calls have reached the source. */
    started: (count: number) =>
      new Promise<void>((resolve) => {
        onStart = () => running.length >= count && resolve();
        onStart();
      }),
  };
}
