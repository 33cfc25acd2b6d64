import type { AuditEvent, AuditRecord } from '@code-executor/contracts';

type Fields = Required<AuditRecord>;
type ListField = { [Key in keyof Fields]: Fields[Key] extends readonly string[] ? Key : never }[keyof Fields];
type NumberField = { [Key in keyof Fields]: Fields[Key] extends number ? Key : never }[keyof Fields];
type TextField = Exclude<keyof Fields, ListField | NumberField>;

/** The limit of each field as JSON, with quotes and brackets. All fields but `code` together stay below 8 KB. */
const maxBytes: Record<TextField | ListField, number> = {
  timestamp: 32,
  type: 32,
  status: 16,
  action: 32,
  correlationId: 48,
  executionId: 80,
  clientId: 80,
  clientKind: 20,
  clientIp: 64,
  language: 32,
  isolation: 32,
  toolName: 800,
  server: 800,
  query: 800,
  allowedTools: 2000,
  toolsCalled: 2000,
  patterns: 300,
  paramsHash: 80,
  codeHash: 80,
  // A line of the log has at most 1 MiB.
  code: 1_000_000,
  sessionHash: 80,
  errorCode: 32,
};
const isNumber: Record<NumberField, true> = {
  count: true,
  httpStatus: true,
  codeLength: true,
  durationMs: true,
  queuedMs: true,
  startupMs: true,
  resultBytes: true,
  returnedBytes: true,
};
const maxNameChars = 200;
/** Fields whose texts may have more characters. */
const isLong: ReadonlySet<string> = new Set<TextField>(['code']);
const maxEntries = 100;
/** Ends a list that was longer. */
const more = '…';

/** The event as it is written, and read back: the known fields and no other, each within its bound. */
export function boundedEvent(event: AuditEvent | AuditRecord): AuditRecord {
  const bounded: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(event) as [string, unknown][]) {
    if (Object.hasOwn(isNumber, key)) {
      if (Number.isFinite(value)) bounded[key] = Math.round(Number(value) * 1000) / 1000;
    } else if (Object.hasOwn(maxBytes, key)) {
      const bytes = maxBytes[key as TextField | ListField];
      if (Array.isArray(value)) bounded[key] = boundedList(value, bytes);
      else if (typeof value === 'string') {
        bounded[key] = boundedText(value, bytes, isLong.has(key) ? bytes : maxNameChars);
      }
    }
  }
  return bounded as unknown as AuditRecord;
}

function boundedText(text: string, maxBytes: number, maxChars = maxNameChars): string {
  let kept = text.slice(0, maxChars);
  // A character takes up to six bytes; a text with many of those is cut further.
  while (jsonBytes(kept) > maxBytes) kept = kept.slice(0, Math.floor(kept.length * 0.75));
  return kept;
}

function boundedList(values: readonly unknown[], maxBytes: number): string[] {
  const kept: string[] = [];
  let bytes = jsonBytes([more]);
  for (const value of values) {
    if (typeof value !== 'string') continue;
    const name = boundedText(value, maxBytes);
    bytes += jsonBytes(name) + 1;
    if (kept.length === maxEntries - 1 && values.length > maxEntries) bytes = Infinity;
    if (bytes > maxBytes) return [...kept, more];
    kept.push(name);
  }
  return kept;
}

function jsonBytes(value: unknown): number {
  return Buffer.byteLength(JSON.stringify(value));
}
