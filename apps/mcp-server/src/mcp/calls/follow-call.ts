import type { Logger } from '@code-executor/contracts';
import type { ServerContext } from '@modelcontextprotocol/server';

import type { LogLevel } from '../logging/log-level.js';
import { OutputSender } from '../logging/output-sender.js';
import { createProgress } from '../progress.js';
import type { CallUnderWay } from './call-under-way.js';

/** A request that follows a call: it gets progress and output, and ends the call when it is cancelled. */
export interface Following {
  /** Fires when the request no longer follows the call. */
  signal: AbortSignal;
  /** Before the request is answered: over HTTP its signal fires afterwards, and would end a call that is to go on. */
  leave: () => Promise<void>;
}

export function followCall(
  call: CallUnderWay,
  { mcpReq }: ServerContext,
  logLevel: LogLevel | undefined,
  logger: Logger,
): Following {
  const leaving = new AbortController();
  const notify = (notification: { method: string; params: Record<string, unknown> }) => {
    mcpReq.notify(notification).catch((error: unknown) => {
      logger.debug({ err: error }, 'A notification was not sent.');
    });
  };
  const stop = () => call.stop();
  mcpReq.signal.addEventListener('abort', stop);
  if (mcpReq.signal.aborted) stop();

  const progressToken = mcpReq._meta?.progressToken;
  const progress =
    progressToken === undefined
      ? undefined
      : createProgress((count, message) =>
          notify({
            method: 'notifications/progress',
            params: { progressToken, progress: count, message },
          }),
        );
  const stopListening = progress && call.onProgress((message) => progress.report(message));

  let output: OutputSender | undefined;
  if (logLevel) {
    const send = (message: object) => notify({ method: 'notifications/message', params: { ...message } });
    const { sentOutput: sent } = call;
    void call.execution.then((execution) => {
      output = execution && new OutputSender({ execution, wanted: logLevel, send, sent });
      return output?.follow(leaving.signal);
    });
  }
  return {
    signal: leaving.signal,
    async leave() {
      mcpReq.signal.removeEventListener('abort', stop);
      stopListening?.();
      progress?.end();
      leaving.abort();
      if (call.end && !mcpReq.signal.aborted) await output?.sendRest();
    },
  };
}
