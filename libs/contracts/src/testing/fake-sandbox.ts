import type { ExecutionRequest, ExecutionResult, Language, Sandbox, SandboxStatus } from '../sandbox.js';

/** What runs in place of the code; it answers as much of the result as the test is about. */
export type FakeProgram = (
  request: ExecutionRequest,
) => Partial<ExecutionResult> | Promise<Partial<ExecutionResult>>;

export interface FakeSandboxOptions {
  /** Default: `typescript`. */
  language?: Language;
  /** What `status()` tells beside the language. Default: isolation is `portable`. */
  status?: Omit<SandboxStatus, 'language'>;
}

/**
 * A `Sandbox` in memory that runs a function, whatever the code says, and records its requests. The function has the
 * tools, the signal and `onOutput` of the request; what it does not answer is that of a program that succeeded without
 * a value.
 */
export function fakeSandbox(
  program: FakeProgram = () => ({}),
  { language = 'typescript', status = { isolation: 'portable' } }: FakeSandboxOptions = {},
): Sandbox & { readonly requests: ExecutionRequest[]; readonly isClosed: boolean } {
  const requests: ExecutionRequest[] = [];
  let isClosed = false;
  return {
    language,
    requests,
    get isClosed() {
      return isClosed;
    },
    async execute(request) {
      requests.push(request);
      const answered = await program(request);
      const whole = {
        stdout: '',
        stderr: '',
        durationMs: 1,
        truncated: false,
        isolation: 'portable',
      } as const;
      return { status: 'succeeded', ...whole, ...answered };
    },
    status: () => Promise.resolve({ language, ...status }),
    close() {
      isClosed = true;
      return Promise.resolve();
    },
  };
}
