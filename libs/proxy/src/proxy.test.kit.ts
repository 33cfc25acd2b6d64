import { CodeExecutorError } from '@code-executor/contracts';
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
