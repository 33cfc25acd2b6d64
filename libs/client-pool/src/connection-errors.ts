import { CodeExecutorError, type ErrorCode } from '@code-executor/contracts';

import { ConnectFailure } from './connect-failure.js';
import type { UpstreamServer } from './options.js';

/** Why an upstream request failed, in words that do not depend on the SDK. */
export interface RequestFault {
  kind: 'timed_out' | 'invalid_params' | 'method_not_found' | 'http' | 'other';
  /** With kind `http`. */
  status?: number;
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
}

export function isLoss(cause: unknown): cause is Loss {
  return isObject(cause) && 'how' in cause;
}

/** What is known when a server could not be connected. */
export interface ConnectAttempt {
  server: UpstreamServer;
  name: string;
  /** Set when the time was up. */
  timeoutMs: number | undefined;
  loss: Loss | undefined;
  /** "start a session", "list its tools". */
  purpose: string;
  fault: RequestFault;
  /** What the server did besides, " (stderr: …)", or nothing. */
  evidence: string;
}

const retryAfterMs = 100;

export function toConnectFailure(attempt: ConnectAttempt): ConnectFailure {
  const { name, server, loss, fault, evidence, timeoutMs } = attempt;
  const failure = (reason: string, fix: string) => new ConnectFailure(name, reason, fix, fault.cause);
  const checkIt =
    'command' in server
      ? `Run its command by hand to see why, and check command, args and env of ${name} in your configuration.`
      : `Check that it runs, and the url of ${name} in your configuration.`;
  if (timeoutMs !== undefined) {
    return failure(`it did not answer within ${timeoutMs / 1000} s${evidence}`, checkIt);
  }
  if ('command' in server) {
    const code = systemCode(fault.cause);
    if (code === 'ENOENT' || code === 'EACCES') {
      const command = server.command.split(/[/\\]/).pop() ?? '';
      const problem = code === 'ENOENT' ? 'was not found' : 'may not be executed';
      const place = server.cwd === undefined ? '' : ', or its working directory,';
      return failure(
        `its command ${command}${place} ${problem}`,
        `Install it, or correct command of ${name} in your configuration.`,
      );
    }
  }
  if (fault.kind === 'http') {
    return isRefusal(fault)
      ? failure(
          `it answered HTTP ${fault.status ?? ''}`,
          `Check the headers of ${name} in your configuration.`,
        )
      : failure(`it does not speak MCP there (HTTP ${fault.status ?? ''})`, checkIt);
  }
  if (loss) return failure(`it ${loss.how}${evidence}`, checkIt);
  return failure(`it failed to ${attempt.purpose}: ${fault.message}${evidence}`, checkIt);
}

/** The error of one call; `loss` when the connection is gone. */
export function toCallError(
  name: string,
  tool: string,
  fault: RequestFault,
  loss: Loss | undefined,
  evidence: string,
): CodeExecutorError {
  const about = { tool, server: name, cause: fault.cause };
  const error = (code: ErrorCode, message: string) => new CodeExecutorError(code, message, about);
  if (loss) {
    // All calls that are lost with one connection have the same cause.
    const lost = { ...about, cause: loss };
    return loss.code === 'unavailable'
      ? new CodeExecutorError(
          'unavailable',
          `Server ${name} ${loss.how} during the call${evidence}; call again to reconnect.`,
          { ...lost, retryAfterMs },
        )
      : new CodeExecutorError(loss.code, `Server ${name} ${loss.how} during the call of ${tool}.`, lost);
  }
  switch (fault.kind) {
    case 'timed_out':
      return error(
        'deadline_exceeded',
        `Tool ${tool} did not answer in time; ask it for less, or raise pool.callTimeoutMs.`,
      );
    case 'invalid_params':
      return error('invalid_argument', `Tool ${tool} refused its arguments: ${fault.message}`);
    case 'method_not_found':
      return error('not_found', `Server ${name} knows no such tool as ${tool} any more: ${fault.message}`);
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
    default:
      return error('internal', `Server ${name} failed to call ${tool}: ${fault.message}`);
  }
}

export function isRefusal(fault: RequestFault): boolean {
  return fault.status === 401 || fault.status === 403;
}

/** The system's word for a failure, for example ECONNREFUSED, of an error or of its cause. */
export function systemCode(error: unknown): string | undefined {
  const reason = rootCause(error);
  return isObject(reason) && 'code' in reason && typeof reason.code === 'string' ? reason.code : undefined;
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
