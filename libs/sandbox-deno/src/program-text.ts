/** A global that every program calls first, which shows that the program has started. It then removes itself. */
export const startMark = '__codeExecutorStarted';
/** The text that is put before a program that is a function body. */
export const bodyPrefix = `${startMark}(async()=>{`;

/** The URL that Deno shows for a program; it means nothing to the user. */
const programUrl = /blob:null\/[0-9a-f-]{36}/g;
const firstLineColumn = /\bprogram\.ts:1:(\d+)/g;
/** The texts that are put before a program, in both forms, and as Deno shows them if it trims a line. */
const addedTexts = [bodyPrefix, `${startMark}();`.padEnd(bodyPrefix.length), `${startMark}();`];
/** The line below a quoted line of source, which points to a column. */
const pointerLine = /^( *\|)?( +)[~^]/;

/** Rewrites text about a program for its author: it names the file, not the URL, and leaves out the added prefix. */
export function showProgramOnly(text: string): string {
  const named = text.replace(programUrl, 'program.ts').replace(firstLineColumn, (_, column: string) => {
    return `program.ts:1:${Math.max(1, Number(column) - bodyPrefix.length)}`;
  });
  if (!named.includes(startMark)) return named;
  // Each line is searched alone, because a pattern across lines could slow the server down on text from a program.
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
