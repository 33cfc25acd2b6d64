/** Why there is no verdict. */
export class HookFailure extends Error {
  /** For the log. */
  readonly details: Record<string, string>;

  constructor(message: string, details: Record<string, string> = {}) {
    super(message);
    this.details = details;
  }

  static from(error: unknown): HookFailure {
    return error instanceof HookFailure ? error : new HookFailure('it failed', { error: String(error) });
  }
}

/** Longest answer that is read. */
export const maxAnswerBytes = 64 * 1024;
export const tooLong = () => new HookFailure('its answer is longer than 64 KB');
export const tooSlow = (timeoutMs: number) =>
  new HookFailure(`it did not answer within ${timeoutMs} ms (policy.hook.timeoutMs)`);
