import type { IncomingMessage } from 'node:http';

import type { FastifyRequest } from 'fastify';

const streamed = new WeakSet<IncomingMessage>();
const listeners = new WeakMap<IncomingMessage, () => void>();

/** Whether the answer to this request is a stream, which Fastify does not follow. */
export function isStreamed({ raw }: FastifyRequest): boolean {
  return streamed.has(raw);
}

/** Calls the listener if the answer to this request begins to be a stream. */
export function onStreamBegun({ raw }: FastifyRequest, listener: () => void): void {
  listeners.set(raw, listener);
}

export function streamBegins({ raw }: FastifyRequest): void {
  streamed.add(raw);
  listeners.get(raw)?.();
}
