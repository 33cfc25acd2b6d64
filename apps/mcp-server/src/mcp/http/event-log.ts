import type { EventStore, JSONRPCMessage } from '@modelcontextprotocol/server';

/** The limits of one session. */
const maxEvents = 256;
const maxSessionBytes = 1024 * 1024;
/** Of all sessions together. */
const maxBytes = 64 * 1024 * 1024;
/** Clients come back at once or not at all; by then, an execution is no longer kept either. */
const maxAgeMs = 300_000;

interface Event {
  streamId: string;
  message: JSONRPCMessage;
  bytes: number;
  sentMs: number;
}

/** The logs of all sessions. If they hold too much together, the largest one loses its oldest events. */
export class HeldEvents {
  readonly #logs = new Set<EventLog>();

  add(log: EventLog): void {
    this.#logs.add(log);
  }

  remove(log: EventLog): void {
    this.#logs.delete(log);
  }

  get bytes(): number {
    return [...this.#logs].reduce((sum, log) => sum + log.bytes, 0);
  }

  dropTooMuch(): void {
    for (let bytes = this.bytes; bytes > maxBytes; bytes = this.bytes) {
      [...this.#logs].reduce((largest, log) => (log.bytes > largest.bytes ? log : largest)).dropOldest();
    }
  }
}

/**
 * The last messages of a session, for a client that lost a stream and asks for the rest of it. The oldest go first, so that a
 * client that never comes back costs little.
 */
export class EventLog implements EventStore {
  readonly #held: HeldEvents;
  readonly #events = new Map<string, Event>();
  #bytes = 0;
  #count = 0;

  constructor(held: HeldEvents) {
    this.#held = held;
    held.add(this);
  }

  get bytes(): number {
    return this.#bytes;
  }

  storeEvent(streamId: string, message: JSONRPCMessage): Promise<string> {
    const id = `${streamId}/${++this.#count}`;
    const bytes = JSON.stringify(message).length;
    this.#events.set(id, { streamId, message, bytes, sentMs: performance.now() });
    this.#bytes += bytes;
    this.dropOld();
    this.#held.dropTooMuch();
    return Promise.resolve(id);
  }

  /**
   * The stream of an event that was sent, even if it is no longer kept; undefined for an id that never was one. It is not the
   * optional method of the SDK's interface, because with that a stream could not be taken up before the server has noticed
   * that it was cut.
   */
  streamOf(id: string): string | undefined {
    const [, streamId, number] = /^([\w-]{1,64})\/(\d{1,15})$/.exec(id) ?? [];
    return Number(number) <= this.#count ? streamId : undefined;
  }

  async replayEventsAfter(
    lastId: string,
    { send }: { send: (id: string, message: JSONRPCMessage) => Promise<void> },
  ): Promise<string> {
    const streamId = this.streamOf(lastId) ?? '';
    const last = numberOf(lastId);
    for (const [id, event] of this.#events) {
      // An empty message only tells the client the id of its stream.
      const isMissed = event.streamId === streamId && numberOf(id) > last && 'jsonrpc' in event.message;
      if (isMissed) await send(id, event.message);
    }
    return streamId;
  }

  /** Forgets events that are too old, and the oldest of too many. */
  dropOld(): void {
    const fromMs = performance.now() - maxAgeMs;
    for (const { sentMs } of this.#events.values()) {
      const isTooMuch = this.#events.size > maxEvents || this.#bytes > maxSessionBytes;
      if (!isTooMuch && sentMs > fromMs) break;
      this.dropOldest();
    }
  }

  dropOldest(): void {
    const [oldest] = this.#events;
    if (!oldest) return;
    const [id, { bytes }] = oldest;
    this.#events.delete(id);
    this.#bytes -= bytes;
  }

  /** Forgets everything, for good. */
  clear(): void {
    this.#events.clear();
    this.#bytes = 0;
    this.#held.remove(this);
  }
}

function numberOf(id: string): number {
  return Number(id.slice(id.lastIndexOf('/') + 1));
}
