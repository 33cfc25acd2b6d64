/** Tells a person on stderr why the server does not start; the process ends with exit code 1. */
export function reportFatal(problem: string): void {
  report(problem, 1);
}

/** Tells a person on stderr what is wrong with the command line; the process ends with exit code 2. */
export function reportMisuse(problem: string): void {
  report(`${problem}\nTry code-executor-mcp --help.`, 2);
}

function report(message: string, exitCode: number): void {
  process.stderr.write(`code-executor-mcp: ${message}\n`);
  process.exitCode = exitCode;
}
