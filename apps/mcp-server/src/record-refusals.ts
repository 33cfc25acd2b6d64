import type { Logger, RefusedRequestEvent } from '@code-executor/contracts';
import type { Host } from '@code-executor/host';
import type { OnRefused } from '@code-executor/http-server';
import type { Metrics } from '@code-executor/metrics';

import { RefusalLimit } from './refusal-limit.js';

/** Records and counts the requests that are not let in; `flush` records how many had no record of their own. */
export function recordRefusals(
  metrics: Metrics,
  host: Host,
  logger: Logger,
): { onRefused: OnRefused; flush: () => Promise<void> } {
  const records = new RefusalLimit(async (event) => {
    await host.auditLog
      ?.append(event)
      .catch((error: unknown) => logger.error({ err: error }, 'The audit record was not written.'));
  });
  return {
    onRefused({ httpStatus, code, ...client }) {
      const event: RefusedRequestEvent = {
        type: eventTypes.get(httpStatus) ?? 'request_refused',
        status: 'rejected',
        timestamp: new Date().toISOString(),
        errorCode: code,
        clientKind: 'http',
        ...(httpStatus !== undefined && { httpStatus }),
        ...client,
      };
      void metrics.record(event);
      void records.add(event);
    },
    flush: () => records.flush(),
  };
}

const eventTypes: ReadonlyMap<number | undefined, RefusedRequestEvent['type']> = new Map([
  [401, 'auth_failure'],
  [429, 'rate_limited'],
]);
