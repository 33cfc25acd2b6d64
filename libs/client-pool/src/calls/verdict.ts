import { CodeExecutorError } from '@code-executor/contracts';

import { answeredError, isLoss } from '../connection/connection-errors.js';

/** What the error of a call says about its server: it failed, it works, or neither. */
export type Verdict = 'failure' | 'success' | 'nothing';

/** Judges a server by the errors of its calls. */
export class ServerJudge {
  #lastLoss: unknown;

  /** `hasAnswered` says whether the server has answered another call since this one began. */
  verdictOn(error: unknown, hasAnswered: boolean): Verdict {
    const { code, cause } = CodeExecutorError.from(error);
    // Otherwise one program could close the server to all others by calls that it answers with errors.
    if (cause === answeredError) return 'success';
    switch (code) {
      case 'cancelled':
        return 'nothing';
      case 'invalid_argument':
      case 'not_found':
      case 'permission_denied':
      case 'unauthenticated':
        // The server is alive: it has refused the call, or the call is not made because of the tool that it lists.
        return 'success';
      case 'deadline_exceeded':
        // The call is slow, not the server, and one program could make many such calls.
        if (hasAnswered) return 'nothing';
        break;
      case 'resource_exhausted':
        // An answer that is too large is an answer, too.
        if (!isLoss(cause)) return 'success';
        break;
      default:
    }
    // However many calls were lost with it, a connection fails once.
    if (isLoss(cause) && cause === this.#lastLoss) return 'nothing';
    this.#lastLoss = cause;
    return 'failure';
  }
}
