/** The first line of a fenced block of Markdown: its marks and its language. */
const opening = /^(`{3,}|~{3,})[\w+#.-]*$/;

/**
 * The program without a code fence around all of it, which models often add. A program with more than that one fence
 * stays as it is.
 */
export function withoutFence(code: string): string {
  const lines = code.trim().split('\n');
  const fence = opening.exec(lines[0]?.trimEnd() ?? '')?.[1];
  if (fence === undefined || lines.length < 3) return code;
  const isEnd = (line: string) => line.trim() === fence;
  const program = lines.slice(1, -1);
  return isEnd(lines.at(-1) ?? '') && !program.some(isEnd) ? program.join('\n') : code;
}
