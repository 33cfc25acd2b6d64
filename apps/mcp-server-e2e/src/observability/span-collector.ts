import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gunzipSync } from 'node:zlib';

/** The fields of an exported span that tests check; ids in hex, the parent's is empty if there is none. */
export interface CollectedSpan {
  traceId: string;
  spanId: string;
  parentSpanId: string;
  name: string;
}

/** An OTLP collector in this process, which accepts spans over HTTP as binary protobuf. */
export class SpanCollector {
  readonly spans: CollectedSpan[] = [];
  /** The attributes of their resources. */
  readonly serviceNames = new Set<string>();
  requests = 0;
  readonly #server: Server;

  private constructor() {
    this.#server = createServer((request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        this.requests++;
        const body = Buffer.concat(chunks);
        this.#take(request.headers['content-encoding'] === 'gzip' ? gunzipSync(body) : body);
        response.setHeader('content-type', 'application/x-protobuf').end();
      });
    });
  }

  static async start(): Promise<SpanCollector> {
    const collector = new SpanCollector();
    collector.#server.listen(0, '127.0.0.1');
    await once(collector.#server, 'listening');
    return collector;
  }

  /** The value for `OTEL_EXPORTER_OTLP_ENDPOINT`. */
  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, 'close');
  }

  /** The field numbers are those of ExportTraceServiceRequest and its parts. */
  #take(request: Buffer): void {
    for (const resourceSpans of fieldsOf(request, 1)) {
      for (const attribute of fieldsOf(resourceSpans, 1).flatMap((resource) => fieldsOf(resource, 1))) {
        if (textOf(attribute, 1) !== 'service.name') continue;
        for (const value of fieldsOf(attribute, 2)) this.serviceNames.add(textOf(value, 1));
      }
      for (const span of fieldsOf(resourceSpans, 2).flatMap((scopeSpans) => fieldsOf(scopeSpans, 2))) {
        const [traceId, spanId, parentSpanId] = [1, 2, 4].map((number) => textOf(span, number, 'hex'));
        this.spans.push({ traceId, spanId, parentSpanId, name: textOf(span, 5) } as CollectedSpan);
      }
    }
  }
}

/** The values of a message's field, which are messages, texts or bytes. */
function fieldsOf(message: Buffer, wanted: number): Buffer[] {
  const found: Buffer[] = [];
  let at = 0;
  const varint = () => {
    let value = 0;
    for (let factor = 1; ; factor *= 128) {
      const byte = message.readUInt8(at++);
      value += (byte & 127) * factor;
      if (byte < 128) return value;
    }
  };
  while (at < message.length) {
    const tag = varint();
    const wireType = tag % 8;
    if (wireType === 0) varint();
    else {
      const length = wireType === 1 ? 8 : wireType === 5 ? 4 : varint();
      if (wireType === 2 && Math.floor(tag / 8) === wanted) found.push(message.subarray(at, at + length));
      at += length;
    }
  }
  return found;
}

function textOf(message: Buffer, wanted: number, encoding: 'utf8' | 'hex' = 'utf8'): string {
  return fieldsOf(message, wanted)[0]?.toString(encoding) ?? '';
}
