import { CodeExecutorError, type ErrorCode, systemCodeOf } from '@code-executor/contracts';

import { loginError, scopeError } from '../login/login-needed.js';
import { costLimit } from '../transport/message-limits.js';

/** Why an upstream request failed, in words that do not depend on the SDK. */
export interface RequestFault {
  kind:
    | 'timed_out'
    | 'invalid_params'
    | 'method_not_found'
    | 'too_large'
    | 'crowded'
    | 'malformed'
    | 'http'
    | 'media_type'
    | 'login'
    | 'scope'
    | 'other';
  /** With kind `http`. */
  status?: number;
  /** With kind `media_type`: what was answered instead of MCP. */
  mediaType?: string;
  /** With kind `scope`: what the login lacks. */
  scopes?: string[];
  /** The code of a JSON-RPC error. */
  rpcCode?: number;
  /** What the server or the system said. */
  message: string;
  /** The error of the system. */
  cause?: unknown;
}

/** Why a connection is gone, as the rest of a sentence about the server: "exited with code 1". */
export interface Loss {
  code: ErrorCode;
  how: string;
  /** The server refused the request because it has forgotten the session: nothing was executed. */
  isSessionExpired?: boolean;
  /** The server wants a login. */
  needsLogin?: boolean;
}

/** A message that is too large and does not show which request it answers, or that does not end. */
export const tooLarge: Loss = { code: 'resource_exhausted', how: 'sent a message larger than 64 MB' };

export const asksTooMuch: Loss = {
  code: 'resource_exhausted',
  how: 'sent more requests than it takes answers to',
};

/** The cause of errors that the server itself has answered, which show that it works. */
export const answeredError = Object.freeze({ isAnswer: true });

export function isLoss(cause: unknown): cause is Loss {
  return isObject(cause) && 'how' in cause;
}

export const loginLoss: Loss = { code: 'unauthenticated', how: 'wants a login', needsLogin: true };

const retryAfterMs = 100;

/** The error of one call. `loss` is set if the connection is gone, `isLogged` if the log has the last output of a process. */
export function toCallError(
  name: string,
  tool: string,
  fault: RequestFault,
  loss: Loss | undefined,
  isLogged: boolean,
): CodeExecutorError {
  const about = { tool, server: name, cause: fault.cause };
  const error = (code: ErrorCode, message: string) => new CodeExecutorError(code, message, about);
  if (fault.kind === 'login' || loss?.needsLogin) return loginError(name, tool);
  if (loss) return lostCall(about, loss, isLogged);
  switch (fault.kind) {
    case 'timed_out':
      return error(
        'deadline_exceeded',
        `Tool ${tool} did not answer in time; ask it for less, or raise pool.callTimeoutMs.`,
      );
    case 'invalid_params':
      return error('invalid_argument', `Tool ${tool} refused its arguments: ${fault.message}`);
    case 'method_not_found':
      return error('not_found', `Server ${name} no longer has a tool named ${tool}: ${fault.message}`);
    case 'too_large':
      return error(
        'resource_exhausted',
        `Tool ${tool} answered with more than is taken at once, ${costLimit} and 200 levels; ask it for less at a time.`,
      );
    case 'crowded':
      return new CodeExecutorError(
        'resource_exhausted',
        `Tool ${tool} answered with more than 1 MB while other answers took all the memory that they may have; call fewer such tools at once.`,
        { ...about, retryAfterMs: 1000 },
      );
    case 'scope':
      return scopeError(name, tool, fault.scopes ?? []);
    case 'http':
      if (isRefusal(fault)) {
        const message = `Server ${name} refused the call (HTTP ${fault.status ?? ''}); check its headers in your configuration.`;
        return error('unauthenticated', message);
      }
      return new CodeExecutorError(
        'unavailable',
        `Server ${name} answered HTTP ${fault.status ?? ''}; try again later.`,
        {
          ...about,
          retryAfterMs: 1000,
        },
      );
    default: {
      const message = `Server ${name} failed to call ${tool}: ${fault.message}`;
      const isAnswer = fault.kind === 'other' && fault.rpcCode !== undefined;
      const cause = isAnswer ? answeredError : fault.cause;
      return new CodeExecutorError('internal', message, { ...about, cause });
    }
  }
}

/** All calls that are lost with one connection have the same cause. */
function lostCall({ tool, server }: { tool: string; server: string }, loss: Loss, isLogged: boolean) {
  const about = { tool, server, cause: loss };
  if (loss.code !== 'unavailable') {
    return new CodeExecutorError(
      loss.code,
      `Server ${server} ${loss.how} during the call of ${tool}.`,
      about,
    );
  }
  const log = isLogged ? '; the log of Code Executor has what it said' : '';
  const message = `Server ${server} ${loss.how} during the call${log}. Call again to reconnect.`;
  return new CodeExecutorError('unavailable', message, { ...about, retryAfterMs });
}

export function isRefusal(fault: RequestFault): boolean {
  return fault.status === 401 || fault.status === 403;
}

/** What a server of the other era, or of another revision, answers to a request that it does not understand. */
const strangeCodes: ReadonlySet<number> = new Set([-32_000, -32_001, -32_020, -32_022, -32_600, -32_601]);
const strangeStatuses: ReadonlySet<number> = new Set([400, 404, 405, 406, 415]);

/** Whether the answer says that the server does not speak the protocol that was taken for granted. */
export function deniesEra({ status = 0, rpcCode = 0 }: RequestFault): boolean {
  return strangeStatuses.has(status) || strangeCodes.has(rpcCode);
}

/** The system's word for a failure, for example ECONNREFUSED, of an error or of its cause. */
export function systemCode(error: unknown): string | undefined {
  return systemCodeOf(rootCause(error));
}

/** The error at the bottom: `fetch` hides what happened under "fetch failed". */
export function rootCause(error: unknown): unknown {
  let reason = error;
  for (
    let depth = 0;
    depth < 5 && isObject(reason) && 'cause' in reason && isObject(reason.cause);
    depth += 1
  ) {
    reason = reason.cause;
  }
  return reason;
}

/** Not `instanceof Error`: an error of the system may come from another realm. */
function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}
