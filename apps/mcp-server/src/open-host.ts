import type { LifecycleEvent, Logger } from '@code-executor/contracts';
import { createHost, type Host, type HostOptions } from '@code-executor/host';

/** A host whose start, as that of this process, is on record. */
export function openHost(options: HostOptions & { logger: Logger }): Host {
  const host = createHost(options);
  void Promise.resolve(host.audit(lifecycleEvent('started'))).catch((error: unknown) =>
    options.logger.error({ err: error }, 'The audit record was not written.'),
  );
  return host;
}

/** Ends the host; its end is the last event on record. What is under way may go on for `drainMs`. */
export function closeHost(host: Host, drainMs: number): Promise<void> {
  return host.close({ drainMs, lastEvent: () => lifecycleEvent('stopped') });
}

function lifecycleEvent(action: LifecycleEvent['action']): LifecycleEvent {
  return { type: 'lifecycle', action, status: 'success', timestamp: new Date().toISOString() };
}
