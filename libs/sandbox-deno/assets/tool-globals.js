import { HostError } from '@code-executor/deno-runtime/assets/channel.js';

/** An upstream tool failed, or the server would not call it. */
export class McpToolError extends Error {
  constructor({ message, code, tool, server, retryAfterMs }) {
    super(message);
    this.name = new.target.name;
    this.code = code;
    if (tool !== undefined) this.tool = tool;
    if (server !== undefined) this.server = server;
    if (retryAfterMs !== undefined) this.retryAfterMs = retryAfterMs;
  }
}

/** The tool is not in `allowedTools`, or the server's own policy forbids it. */
export class ToolNotAllowedError extends McpToolError {}

/** The functions through which a program reaches tools. */
export function createToolGlobals(channel) {
  // `await` keeps the caller in the stack; the error is made here, where that stack is.
  async function ask(method, params, tool) {
    try {
      return await channel.request(method, params);
    } catch (error) {
      if (!(error instanceof HostError)) throw error;
      const fields = { tool, ...error.fields };
      if (fields.code === 'permission_denied') throw new ToolNotAllowedError(fields);
      throw new McpToolError(fields);
    }
  }

  function refuse(message, tool) {
    throw new McpToolError({ code: 'invalid_argument', message, tool });
  }

  return {
    async callMCPTool(name, params = {}, options = {}) {
      const tool = typeof name === 'string' ? name : undefined;
      const unknown = Object.keys(options ?? {}).find((option) => option !== 'raw');
      if (unknown !== undefined) refuse(`callMCPTool has the option raw, and none named ${unknown}.`, tool);
      return await ask('callTool', { name, args: params, raw: options?.raw === true }, tool);
    },
    async discoverMCPTools({ search = [], ...others } = {}) {
      const words = typeof search === 'string' ? [search] : search;
      if (!Array.isArray(words) || Object.keys(others).length > 0) {
        refuse('discoverMCPTools takes { search: ["word", ...] }, or nothing.');
      }
      return await ask('listTools', { query: words.join(' ') });
    },
    async getToolSchema(name) {
      const tools = await ask('listTools', { name: String(name) });
      return tools[0] ?? null;
    },
    async searchTools(query, limit = 10) {
      if (typeof query !== 'string') refuse('searchTools takes its query as a string.');
      return await ask('listTools', { query, limit });
    },
    McpToolError,
    ToolNotAllowedError,
  };
}
