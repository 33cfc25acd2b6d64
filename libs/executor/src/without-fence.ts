/** The first line of a fenced block of Markdown: its marks, and what language it is said to be. */
const opening = /^(`{3,}|~{3,})[\w+#.-]*$/;

/**
 * The program without the code fence that is around all of it, as models write code in text; as it is, where there
 * is more than the one fence.
 */
export function withoutFence(code: string): string {
  const lines = code.trim().split('\n');
  const fence = opening.exec(lines[0]?.trimEnd() ?? '')?.[1];
  if (fence === undefined || lines.length < 3) return code;
  const isEnd = (line: string) => line.trim() === fence;
  const program = lines.slice(1, -1);
  return isEnd(lines.at(-1) ?? '') && !program.some(isEnd) ? program.join('\n') : code;
}
