import type { AuditRecord } from '@code-executor/contracts';

/** What to look for: records that match all of it. */
export interface AuditQuery {
  type?: AuditRecord['type'];
  status?: NonNullable<AuditRecord['status']>;
  executionId?: string;
  correlationId?: string;
  /** The exact name, as `mcp__github__create_issue`. */
  toolName?: string;
  server?: string;
  /** Text that occurs in any field, in upper or lower case. */
  query?: string;
  /** Records of this time and later ones. */
  since?: Date;
  /** Records of this time and earlier ones. */
  until?: Date;
  /** The largest number of records to return. Default: 100. */
  limit?: number;
}

const exact = ['type', 'status', 'executionId', 'correlationId', 'toolName', 'server'] as const;

/** Whether a record matches, apart from its time. */
export function matches(record: AuditRecord, wanted: AuditQuery): boolean {
  if (exact.some((field) => wanted[field] !== undefined && wanted[field] !== record[field])) return false;
  const text = wanted.query?.toLowerCase() ?? '';
  return text === '' || Object.values(record).some((value) => holds(value, text));
}

function holds(value: unknown, text: string): boolean {
  if (Array.isArray(value)) return value.some((each) => holds(each, text));
  return typeof value === 'string' && value.toLowerCase().includes(text);
}
