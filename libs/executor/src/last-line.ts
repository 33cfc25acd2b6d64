import type { OutputChunk } from '@code-executor/contracts';

const maxLineChars = 200;

/** Follows printed text and passes on the last complete line of each piece that completes one. */
export function lastLine(onLine: (line: string) => void): (chunk: OutputChunk) => void {
  let unfinished = '';
  return ({ text }) => {
    const lines = (unfinished + text).split('\n');
    unfinished = (lines.pop() ?? '').slice(0, maxLineChars);
    const line = lines.findLast((candidate) => candidate.trim() !== '');
    if (line !== undefined) onLine(line.trim().slice(0, maxLineChars));
  };
}
