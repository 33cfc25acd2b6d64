import { printable } from '@code-executor/contracts';
import type { PendingChange, TextChange, ToolChange } from '@code-executor/tool-pins';

const texts = ['title', 'description', 'annotations'] as const;

/** Each change as a person compares it: the lines before with `-`, those of now with `+`. */
export function formatChanges(changes: readonly PendingChange[], bold: (text: string) => string): string {
  return changes.map((change) => formatChange(change, bold)).join('\n');
}

function formatChange(
  { tool, server, pinnedAt, changedAt, change }: PendingChange,
  bold: (text: string) => string,
): string {
  const dates = `pinned ${day(pinnedAt)}, changed ${day(changedAt)}`;
  const lines = [`${bold(printable(tool))} of server ${printable(server)}, ${dates}`];
  for (const part of texts) {
    if (change.parts.includes(part)) lines.push(`  ${part}`, ...diff(change[part]));
  }
  if (change.parts.includes('parameters')) lines.push('  parameters', ...parameterLines(change));
  if (change.parts.includes('outputSchema')) lines.push('  output schema');
  return `${lines.join('\n')}\n`;
}

function diff({ before, after }: TextChange = {}): string[] {
  if (before === undefined && after === undefined) return ['    (its texts were not kept)'];
  if (before === after) return ['    (after the part that is kept for comparison)'];
  return [
    ...(before === undefined ? [] : [`  - ${printable(before)}`]),
    ...(after === undefined ? [] : [`  + ${printable(after)}`]),
  ];
}

function parameterLines({ parameters }: ToolChange): string[] {
  if (!parameters) return ['    (their names were not kept)'];
  const { added, removed, changed } = parameters;
  if (added.length + removed.length + changed.length === 0)
    return ['    (not one of them, but the whole schema)'];
  return [
    ...removed.map((name) => `  - ${printable(name)}`),
    ...added.map((name) => `  + ${printable(name)}`),
    ...changed.map((name) => `  ~ ${printable(name)}`),
  ];
}

function day(time: string): string {
  return printable(time.slice(0, 10));
}
