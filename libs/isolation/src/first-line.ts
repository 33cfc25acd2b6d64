/** The first line of what a tool of the system printed, for callers: of its paths only the last names are left. */
export function firstLineOf(stderr: string): string {
  const line = stderr.trim().split('\n')[0] ?? '';
  return line.replaceAll(/\/(?:[^/:]*\/)*/g, '').slice(0, 200);
}
