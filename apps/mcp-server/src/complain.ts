/** Says on stderr, to a person, why the server does not start. */
export function complain(message: string): void {
  process.stderr.write(`code-executor-mcp: ${message}\n`);
}
