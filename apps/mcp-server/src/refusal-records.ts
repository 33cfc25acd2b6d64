import type { AuditSink, RefusedRequestEvent } from '@code-executor/contracts';

/** As long, and as many, as one client's refusals each have a record of their own. */
const windowMs = 60_000;
const maxRecords = 100;

interface Refusals {
  last: RefusedRequestEvent;
  count: number;
}

/**
 * Writes down what was not let in. Whoever has no token must not fill the disk: of the same type, status and client,
 * 100 a minute have a record each, and those beyond are one with their `count`, when the minute is over.
 */
export class RefusalRecords {
  readonly #write: AuditSink<RefusedRequestEvent>;
  readonly #kinds = new Map<string, Refusals>();
  #timer: NodeJS.Timeout | undefined;

  /** `write` does not reject. */
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

  /** Writes how many had no record, and begins anew. */
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
