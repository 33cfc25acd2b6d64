import { readTelemetry } from '@code-executor/config';
import type { AuditSink, LifecycleEvent, Logger } from '@code-executor/contracts';
import { createHost, type Host, type HostSettings } from '@code-executor/host';

export interface OpenedHost {
  host: Host;
  /** Ends the host, and then the export of traces: what ends has spans, too. */
  close(drainMs: number): Promise<void>;
}

/** The host of this process, with an exporter of traces where the environment asks for one. */
export async function openHost(
  settings: HostSettings,
  version: string,
  logger: Logger,
  observe?: AuditSink,
): Promise<OpenedHost> {
  const { isWanted, warnings } = readTelemetry();
  for (const warning of warnings) logger.warn({}, warning);
  // It has to be there before the first span.
  const telemetry = isWanted ? (await import('./telemetry.js')).startTelemetry(version, logger) : undefined;
  const host = createHost({ ...settings, ...(observe && { observe }), logger });
  void Promise.resolve(host.audit(lifecycleEvent('started'))).catch((error: unknown) =>
    logger.error({ err: error }, 'The audit record was not written.'),
  );
  return {
    host,
    async close(drainMs) {
      await host.close({ drainMs, lastEvent: () => lifecycleEvent('stopped') });
      await telemetry?.close();
    },
  };
}

function lifecycleEvent(action: LifecycleEvent['action']): LifecycleEvent {
  return { type: 'lifecycle', action, status: 'success', timestamp: new Date().toISOString() };
}
