/** The global that a program calls first, and that then removes itself: it tells that the program started. */
export const startMark = '__codeExecutorStarted';
/** What stands before a program that is read as the body of a function. */
export const bodyPrefix = `${startMark}(async()=>{`;

/** The URL under which Deno knows a program; it tells a user nothing. */
const programUrl = /blob:null\/[0-9a-f-]{36}/g;
const firstLineColumn = /\bprogram\.ts:1:(\d+)/g;
/** What is put before a program, in either form, or what is left of it where Deno trims a line. */
const addedTexts = [bodyPrefix, `${startMark}();`.padEnd(bodyPrefix.length), `${startMark}();`];
/** The line under a quoted line of source, which points into it. */
const pointerLine = /^( *\|)?( +)[~^]/;

/** Text about a program as its author knows it: a name in place of the URL, and nothing of what was put before it. */
export function showProgramOnly(text: string): string {
  const named = text.replace(programUrl, 'program.ts').replace(firstLineColumn, (_, column: string) => {
    return `program.ts:1:${Math.max(1, Number(column) - bodyPrefix.length)}`;
  });
  if (!named.includes(startMark)) return named;
  // Line by line, and no pattern across lines: a program that prints such text must not slow the server down.
  const lines = named.split('\n');
  lines.forEach((line, index) => {
    if (!line.includes(`${startMark}(`)) return;
    lines[index] = addedTexts.reduce((rest, added) => rest.replaceAll(added, ''), line);
    const [, margin = '', indent = ''] = pointerLine.exec(lines[index + 1] ?? '') ?? [];
    if (indent.length < bodyPrefix.length) return;
    lines[index + 1] = margin + (lines[index + 1] ?? '').slice(margin.length + bodyPrefix.length);
  });
  return lines.join('\n');
}
