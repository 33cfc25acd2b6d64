import type { CallOptions, ToolHit, ToolName, ToolResult, ToolSource } from './tool.js';

/** Longest text of a tool that becomes the message of a failure. */
const maxMessageChars = 4000;

/** A tool that answered `isError`, as programs see it: not a failure of the host, but an exception in the program. */
export class ToolFailure extends Error {
  readonly code = 'tool_error';

  constructor(
    message: string,
    readonly tool: string,
    readonly server: string | undefined,
  ) {
    super(message);
  }

  /** The failure that a result reports; undefined if it reports none. The source tells which server has the tool. */
  static async of(
    result: ToolResult,
    name: ToolName,
    source: ToolSource<ToolHit>,
    options: CallOptions = {},
  ): Promise<ToolFailure | undefined> {
    const message = toolFailureText(result);
    if (message === undefined) return undefined;
    // The source has the listing at hand, because the tool has just answered.
    const { tools } = await source.listTools({ ...options, name, detail: 'schemas' });
    return new ToolFailure(message, name, tools[0]?.server);
  }

  toJSON(): { code: 'tool_error'; message: string; tool: string; server?: string } {
    const { code, message, tool, server } = this;
    return { code, message, tool, ...(server !== undefined && { server }) };
  }
}

/** Why a tool failed, in its own words; undefined unless its result says `isError`. */
export function toolFailureText({ isError, content }: ToolResult): string | undefined {
  if (!isError) return undefined;
  const texts = content.flatMap((block) => (typeof block['text'] === 'string' ? [block['text']] : []));
  const text = texts.join('\n').trim();
  return text === '' ? 'The tool failed and gave no reason.' : text.slice(0, maxMessageChars);
}
