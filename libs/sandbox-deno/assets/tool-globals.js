import { HostError } from '@code-executor/sandbox-channel/assets/channel.js';

import { byName } from './by-name.js';

/** An upstream tool failed, or the server refused to call it. */
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

/** The tool is not in `allowedTools`, or the server's policy forbids it. */
export class ToolNotAllowedError extends McpToolError {}

const discoveryOptions = new Set(['server', 'detail', 'limit', 'offset']);

/** Creates the functions with which a program finds and calls tools. */
export function createToolGlobals(channel) {
  // `await` keeps the caller in the stack, and the error is created here to have that stack.
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

  return {
    async callMCPTool(name, params = {}, options = {}) {
      const tool = typeof name === 'string' ? name : undefined;
      const raw = isRaw(options, 'callMCPTool', tool);
      return await ask('callTool', { name, args: params, raw }, tool);
    },
    ...discoveryGlobals(ask),
    tools: toolsByName(channel, ask),
    McpToolError,
    ToolNotAllowedError,
  };
}

function discoveryGlobals(ask) {
  return {
    async discoverMCPTools(options = {}) {
      const { search, ...others } = Object(options);
      const words = typeof search === 'string' ? [search] : (search ?? []);
      const unknown = Object.keys(others).find((option) => !discoveryOptions.has(option));
      if (typeof options !== 'object' || !Array.isArray(words) || unknown !== undefined) {
        refuse(
          'discoverMCPTools takes { search: ["word", ...], server, detail, limit, offset }, or nothing.',
        );
      }
      return await ask('listTools', { query: words.join(' '), ...others });
    },
    async getToolSchema(name) {
      const tools = await ask('listTools', { name: String(name) });
      return tools[0] ?? null;
    },
    async getToolTypes(names) {
      return await ask('toolTypes', { names: typeof names === 'string' ? [names] : names });
    },
    /** Called as `searchTools(query, limit, options)` or `searchTools(query, options)`. */
    async searchTools(query, limit, options) {
      if (typeof query !== 'string') refuse('searchTools takes its query as a string.');
      const given = typeof limit === 'object' ? { ...limit, ...options } : { ...options, limit };
      const unknown = Object.keys(given).find((option) => !discoveryOptions.has(option));
      if (unknown !== undefined) {
        refuse(`searchTools has the options limit, detail, server and offset, and none named ${unknown}.`);
      }
      return await ask('listTools', {
        query,
        ...given,
        limit: given.limit ?? 10,
        detail: given.detail ?? 'brief',
      });
    },
  };
}

/** Every tool as a function `tools.<server>.<tool>(args)`, under its original name or that name in camel case. */
function toolsByName(channel, ask) {
  const toolOf = (server) => (tool) => {
    const called = `tools.${server}.${tool}`;
    return async (params = {}, options = {}) => {
      const raw = isRaw(options, called);
      return await ask('callTool', { server, tool, args: params, raw });
    };
  };
  const serverOf = (server) => byName(toolOf(server), () => namesNow(channel, server));
  return byName(serverOf, () => namesNow(channel));
}

/** The names, synchronously, because `Object.keys` cannot wait. */
function namesNow(channel, server) {
  const reply = channel.askNow('pathNames', { server, style: 'camelCase' });
  if (reply === undefined) {
    refuse('While calls are under way, names of tools are not there at once; use await discoverMCPTools().');
  }
  if (reply.error) throw new McpToolError(reply.error);
  return reply.value;
}

function isRaw(options, called, tool) {
  const unknown = Object.keys(options ?? {}).find((option) => option !== 'raw');
  if (unknown !== undefined) refuse(`${called} has the option raw, and none named ${unknown}.`, tool);
  return options?.raw === true;
}

function refuse(message, tool) {
  throw new McpToolError({ code: 'invalid_argument', message, tool });
}
