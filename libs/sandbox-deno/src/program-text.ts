/** The global that a program calls first, and that then removes itself: it tells that the program started. */
export const startMark = '__codeExecutorStarted';
/** What stands before a program that is read as the body of a function. */
export const bodyPrefix = `${startMark}();export default (async()=>{`;

/** The URL under which Deno knows a program; it tells a user nothing. */
const programUrl = /blob:null\/[0-9a-f-]{36}/g;
const firstLineColumn = /\bprogram\.ts:1:(\d+)/g;
/** A line of source that Deno quotes, and the line under it that points into it. */
const quotedFirstLine = new RegExp(
  `${startMark}\\(\\);(?: +|export default \\(async\\(\\)=>\\{)?(.*\\n(?: *\\|)? *?)(?: {${bodyPrefix.length}}(?= *[~^]))?`,
  'g',
);

/** Text about a program as its author knows it: a name in place of the URL, and nothing of what was put before it. */
export function showProgramOnly(text: string): string {
  return text
    .replace(programUrl, 'program.ts')
    .replace(firstLineColumn, (_, column: string) => {
      return `program.ts:1:${Math.max(1, Number(column) - bodyPrefix.length)}`;
    })
    .replace(quotedFirstLine, '$1');
}
