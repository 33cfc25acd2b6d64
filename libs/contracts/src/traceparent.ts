/** One step of a trace: what W3C Trace Context calls `traceparent`. */
export interface TraceParent {
  /** 32 hexadecimal digits, the same for all steps of one trace. */
  traceId: string;
  /** 16 hexadecimal digits, of the calling step. */
  spanId: string;
  /** Bit 0: this trace is recorded. */
  traceFlags: number;
}

/** Later versions may append fields. */
const form = /^(?!ff)[\da-f]{2}-(?!0{32})([\da-f]{32})-(?!0{16})([\da-f]{16})-([\da-f]{2})(?:-|$)/u;
const maxChars = 256;

/**
 * Reads a `traceparent`; undefined for any other value.
 *
 * @see https://www.w3.org/TR/trace-context/#traceparent-header
 */
export function parseTraceparent(value: unknown): TraceParent | undefined {
  if (typeof value !== 'string' || value.length > maxChars) return undefined;
  const [, traceId, spanId, flags] = form.exec(value) ?? [];
  if (traceId === undefined || spanId === undefined || flags === undefined) return undefined;
  return { traceId, spanId, traceFlags: Number.parseInt(flags, 16) & 1 };
}

/** Writes a `traceparent` of version 00. */
export function formatTraceparent({ traceId, spanId, traceFlags }: TraceParent): string {
  return `00-${traceId}-${spanId}-0${traceFlags & 1}`;
}

/** The first step of a new trace, which is not recorded. */
export function newTraceParent(): TraceParent {
  return { traceId: randomHex(16), spanId: randomHex(8), traceFlags: 0 };
}

function randomHex(bytes: number): string {
  const random = crypto.getRandomValues(new Uint8Array(bytes));
  return Array.from(random, (byte) => byte.toString(16).padStart(2, '0')).join('');
}
