import {
  type CallHook,
  CodeExecutorError,
  type HookedCall,
  type Logger,
  printable,
  silentLogger,
} from '@code-executor/contracts';

import { askCommand } from './ask-command.js';
import { askUrl } from './ask-url.js';
import { HookFailure } from './hook-failure.js';
import { parseVerdict } from './parse-verdict.js';
import { Places } from './places.js';

/** Exactly one of `command` and `url` is set. */
export interface PolicyHookOptions {
  /** A program and its arguments. It gets the call on stdin, and writes its verdict to stdout; no shell is involved. */
  command?: readonly string[];
  /** An http or https address. It gets the call as the body of a POST, and answers 200 with its verdict. */
  url?: string;
  /** Sent with each request to `url`, for example a token. */
  headers?: Readonly<Record<string, string>>;
  /** How long a verdict may take, in ms. Default 5,000. */
  timeoutMs?: number;
  /** The environment of the program. Default: none. */
  env?: Readonly<Record<string, string>>;
  /** Gets why there was no verdict, at `warn`. Default: silence. */
  logger?: Logger;
}

/** How many calls are decided about at once; others wait. */
const maxConcurrent = 16;
/** A hook that fails for every call is logged this often, in ms. */
const logPauseMs = 10_000;

/**
 * A hook that asks a program or an HTTP service about each call. It rejects with `unavailable` if there is no verdict in
 * time, or anything but a verdict; the call must then be refused.
 *
 * @throws CodeExecutorError `invalid_argument` unless exactly one of `command` and `url` is there.
 */
export function createPolicyHook(options: PolicyHookOptions): CallHook {
  const { timeoutMs = 5000, logger = silentLogger } = options;
  const ask = askerOf(options);
  const places = new Places(maxConcurrent);
  const log = throttled(logger);
  return async (call, signal) => {
    const leave = await places.enter(signal);
    try {
      return parseVerdict(await ask(toJson(call), { timeoutMs, signal }));
    } catch (error) {
      signal?.throwIfAborted();
      const { message, details } = HookFailure.from(error);
      log({ tool: printable(call.toolName), ...details }, `policy.hook gave no verdict: ${message}`);
      throw new CodeExecutorError('unavailable', message, { cause: error });
    } finally {
      leave();
    }
  };
}

type Ask = (json: string, options: { timeoutMs: number; signal: AbortSignal | undefined }) => Promise<string>;

function askerOf({ command = [], url, headers = {}, env = {} }: PolicyHookOptions): Ask {
  const [program, ...args] = command;
  if ((program === undefined) === (url === undefined)) {
    throw new CodeExecutorError('invalid_argument', 'A hook needs either a command or a url.');
  }
  if (program !== undefined) return (json, options) => askCommand(json, { program, args, env, ...options });
  const address = url ?? '';
  if (!/^https?:\/\//i.test(address) || !URL.canParse(address)) {
    throw new CodeExecutorError('invalid_argument', 'The url of a hook must begin with http:// or https://.');
  }
  return (json, options) => askUrl(json, { url: address, headers, ...options });
}

/** The call as hooks get it; the rules for its caller are not their business. */
function toJson({ toolName, server, args, executionId, caller }: HookedCall): string {
  const { id, kind } = caller;
  return JSON.stringify({ tool: toolName, server, arguments: args, executionId, caller: { id, kind } });
}

function throttled(logger: Logger): Logger['warn'] {
  let pausedUntil = -Infinity;
  return (fields, message) => {
    if (performance.now() < pausedUntil) return;
    pausedUntil = performance.now() + logPauseMs;
    logger.warn(fields, message);
  };
}
