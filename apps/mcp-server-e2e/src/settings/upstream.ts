import { fileURLToPath } from 'node:url';

const file = fileURLToPath(new URL('./upstream-server.mjs', import.meta.url));

/** An entry of `mcpServers` for the server that reveals settings. */
export function upstream(...args: string[]) {
  return { command: process.execPath, args: [file, ...args] };
}

/** `mcpServers` with this server under the name `up`. */
export const up = { up: upstream() };

/** No spare processes, so that none of them affects a check. */
export const noSpares = { typescript: 0, python: 0 };

type Call = [tool: string, args?: object];
const describeError =
  'const describeError = (error) => [error.code, error.message, error.retryAfterMs ?? null];';
const textsOf = (all: Call[]) =>
  all.map(
    ([tool, args = {}]) => `callMCPTool('mcp__up__${tool}', ${JSON.stringify(args)}).catch(describeError)`,
  );

/** A program that makes these calls at once; its value is their results or `[code, message, retryAfterMs]`. */
export function atOnce(...all: Call[]): string {
  return `${describeError} return await Promise.all([${textsOf(all).join(', ')}]);`;
}

/** A program that makes these calls one after the other. */
export function inTurn(...all: Call[]): string {
  return `${describeError} return [${textsOf(all)
    .map((text) => `await ${text}`)
    .join(', ')}];`;
}
