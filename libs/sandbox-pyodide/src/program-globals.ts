const names =
  'ast asyncio base64 builtins call_mcp_tool code_executor collections csv dataclasses datetime ' +
  'decimal discover_mcp_tools display enum functools get_tool_schema get_tool_types io itertools ' +
  'json math pathlib random re search_tools site statistics string textwrap tools traceback typing ' +
  'urllib uuid';

/**
 * The globals of programs that a host call must not be named after. Builtins are not among them, because a host call
 * with the name of one gets a trailing `_`. A test compares them with those of a real program.
 */
export const programGlobals: ReadonlySet<string> = new Set(names.split(' '));
