import type { AuditSink, RefusedRequestEvent } from '@code-executor/contracts';

/** The period, and the number of refusals within it that get a record each. */
const windowMs = 60_000;
const maxRecords = 100;

interface Refusals {
  last: RefusedRequestEvent;
  count: number;
}

/**
 * Records refused requests. Because a client without a token must not be able to fill the disk, 100 refusals a minute of the
 * same type, status and client get a record each. The others share one record with their `count` when the minute is over.
 */
export class RefusalLimit {
  readonly #write: AuditSink<RefusedRequestEvent>;
  readonly #kinds = new Map<string, Refusals>();
  #timer: NodeJS.Timeout | undefined;

  /** @param write Must not reject. */
  constructor(write: AuditSink<RefusedRequestEvent>) {
    this.#write = write;
  }

  async add(event: RefusedRequestEvent): Promise<void> {
    this.#timer ??= setTimeout(() => void this.flush(), windowMs).unref();
    const kind = `${event.type} ${event.httpStatus ?? ''} ${event.clientId ?? ''}`;
    const count = (this.#kinds.get(kind)?.count ?? 0) + 1;
    this.#kinds.set(kind, { last: event, count });
    if (count <= maxRecords) await this.#write(event);
  }

  /** Records how many refusals had no record, and starts a new minute. */
  async flush(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const kinds = [...this.#kinds.values()];
    this.#kinds.clear();
    for (const { last, count } of kinds) {
      if (count > maxRecords) await this.#write({ ...last, count: count - maxRecords });
    }
  }
}
