import type { StdioArena } from '../arena/stdio-arena.js';

/** Options with which a program asks for every tool. */
export const all = { allowedTools: ['*'] };
/** An expression that calls a tool. */
export const call = (name: string, args: object = {}) =>
  `await callMCPTool(${JSON.stringify(name)}, ${JSON.stringify(args)})`;

/** Runs a call; resolves with the code of its exception, or with `done`. */
export async function codeOf(
  { run }: StdioArena,
  expression: string,
  allowedTools?: string[],
): Promise<unknown> {
  const { result, error } = await run(
    `try { ${expression}; return "done" } catch (error) { return error.code ?? error.message }`,
    allowedTools ? { allowedTools } : {},
  );
  return result ?? error;
}
