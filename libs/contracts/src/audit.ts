import type { ErrorCode } from './error.js';

/** One thing worth a record. Arguments, prompts and code never appear in it, at most their SHA-256. */
export interface AuditEvent {
  type: 'execution' | 'tool_call' | 'denial';
  timestamp: string;
  executionId?: string;
  toolName?: string;
  server?: string;
  status: 'success' | 'failure' | 'rejected';
  errorCode?: ErrorCode | 'tool_error';
  durationMs?: number;
  codeHash?: string;
}

export type AuditSink = (event: AuditEvent) => void | Promise<void>;
