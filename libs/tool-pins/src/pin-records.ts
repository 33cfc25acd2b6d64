import type { AuditSink, CallOptions, Logger, PinningEvent, ToolSchema } from '@code-executor/contracts';
import { parseTraceparent } from '@code-executor/contracts';

import type { Sight, Sighting } from './pins.js';

/** Changed tools of one server with a record each, when many are seen together; one record has the number of the others. */
const maxChanges = 100;
/** Blocked calls that are remembered, so that a loop of calls has one record. */
const maxBlocked = 1000;

type Fields = Pick<PinningEvent, 'action' | 'status' | 'server' | 'toolName' | 'count'>;

/** Records what pinning finds and blocks. A sink that fails breaks nothing; its error goes to the log. */
export class PinRecords {
  readonly #audit: AuditSink<PinningEvent> | undefined;
  readonly #logger: Logger;
  readonly #blocked = new Set<string>();
  #seen: { sight: Sight; sighting: Sighting }[] = [];

  constructor(audit: AuditSink<PinningEvent> | undefined, logger: Logger) {
    this.#audit = audit;
    this.#logger = logger;
  }

  /** Seeing a tool did something; what is seen in one turn is recorded together. */
  seen(sight: Sight, sighting: Sighting): void {
    if (sighting !== 'pinned' && sighting !== 'changed') return;
    if (this.#seen.push({ sight, sighting }) === 1) queueMicrotask(() => this.#recordSeen());
  }

  /** A call was refused; once for each tool and execution. */
  blocked({ name, server }: ToolSchema, options: CallOptions): void {
    const key = `${options.executionId ?? options.caller?.id ?? ''}\n${name}`;
    if (this.#blocked.has(key)) return;
    if (this.#blocked.size >= maxBlocked) this.#blocked.clear();
    this.#blocked.add(key);
    this.#record({ action: 'blocked', status: 'rejected', server, toolName: name }, options);
  }

  #recordSeen(): void {
    const all = this.#seen;
    this.#seen = [];
    const servers = new Set(all.map(({ sight }) => sight.server));
    for (const server of servers) {
      const of = (wanted: Sighting) =>
        all.flatMap(({ sight, sighting }) =>
          sight.server === server && sighting === wanted ? sight.tool : [],
        );
      const pinned = of('pinned');
      if (pinned.length > 0) {
        this.#record({ action: 'pinned', status: 'success', server, count: pinned.length });
      }
      const changed = of('changed');
      for (const toolName of changed.slice(0, maxChanges)) {
        this.#record({ action: 'changed', status: 'success', server, toolName });
      }
      const more = changed.length - maxChanges;
      if (more > 0) this.#record({ action: 'changed', status: 'success', server, count: more });
    }
  }

  #record(fields: Fields, { executionId, caller, traceparent }: CallOptions = {}): void {
    const trace = parseTraceparent(traceparent);
    const event: PinningEvent = {
      type: 'pinning',
      timestamp: new Date().toISOString(),
      ...fields,
      ...(executionId !== undefined && { executionId }),
      ...(caller && { clientId: caller.id, clientKind: caller.kind }),
      ...(trace && { correlationId: trace.traceId }),
    };
    const onError = (error: unknown) =>
      this.#logger.error({ err: error }, 'The audit record was not written.');
    try {
      void Promise.resolve(this.#audit?.(event)).catch(onError);
    } catch (error) {
      onError(error);
    }
  }
}
