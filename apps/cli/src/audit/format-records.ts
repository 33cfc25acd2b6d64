import type { AuditEvent } from '@code-executor/contracts';

const unprintable = /[\p{Cc}\p{Cf}]/gu;

/** Records as a table with a line of headings, which `emphasize` may colour. */
export function formatRecords(records: readonly AuditEvent[], emphasize: (text: string) => string): string {
  const table = [['Time', 'Type', 'Status', 'What', 'ms', 'Execution'], ...records.map(cells)];
  const widths = [0, 1, 2, 3, 4].map((column) => Math.max(...table.map((row) => row[column]?.length ?? 0)));
  const lines = table.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd(),
  );
  return lines.map((line, index) => `${index === 0 ? emphasize(line) : line}\n`).join('');
}

/** Whoever can write the files decides what is in them. */
function cells(record: AuditEvent): string[] {
  const { timestamp, type, status, action, errorCode, durationMs, executionId } = record;
  const result = [status, action, errorCode].filter((word) => word !== undefined).join(' ');
  const duration = typeof durationMs === 'number' ? durationMs.toFixed(durationMs < 10 ? 1 : 0) : '';
  return [timestamp, type, result, subjectOf(record), duration, executionId ?? ''].map(printable);
}

function subjectOf({ toolName, server, query, language, clientId, codeHash }: AuditEvent): string {
  if (toolName !== undefined) return toolName;
  if (query !== undefined) return `"${query}"`;
  if (codeHash !== undefined) return `${language ?? ''} ${codeHash.slice(0, 12)}`;
  return server ?? clientId ?? language ?? '';
}

function printable(value: unknown): string {
  return String(value).replace(unprintable, '�').slice(0, 200);
}
