/** The first line that a system tool printed, safe to show to callers: only the last name of each path is left. */
export function firstLineOf(stderr: string): string {
  const line = stderr.trim().split('\n')[0] ?? '';
  return line.replaceAll(/\/(?:[^/:]*\/)*/g, '').slice(0, 200);
}
