import type { AuditRecord } from '@code-executor/contracts';

import { formatTable } from '../format-table.js';

const headings = ['Time', 'Type', 'Status', 'What', 'ms', 'Execution'];
const maxCellChars = 200;

/** Records as a table with a line of headings, which `emphasize` may colour. */
export function formatRecords(records: readonly AuditRecord[], emphasize: (text: string) => string): string {
  return formatTable(headings, records.map(cells), emphasize);
}

/** The cells of one record. Anyone who can write the files decides what is in them, so each cell is cut. */
function cells(record: AuditRecord): string[] {
  const { timestamp, type, status, action, errorCode, durationMs, executionId } = record;
  const result = [status, action, errorCode].filter((word) => word !== undefined).join(' ');
  const duration = typeof durationMs === 'number' ? durationMs.toFixed(durationMs < 10 ? 1 : 0) : '';
  return [timestamp, type, result, subjectOf(record), duration, executionId ?? ''].map((cell) =>
    cell.slice(0, maxCellChars),
  );
}

function subjectOf(record: AuditRecord): string {
  const { action, count, httpStatus, toolName, server, query, language, clientId, codeHash } = record;
  if (action === 'omitted') return `${count ?? 0} more`;
  if (httpStatus !== undefined) return `HTTP ${httpStatus} ${clientId ?? ''}`.trimEnd();
  if (toolName !== undefined) return toolName;
  if (query !== undefined) return `"${query}"`;
  if (codeHash !== undefined) return `${language ?? ''} ${codeHash.slice(0, 12)}`;
  return server ?? clientId ?? language ?? '';
}
