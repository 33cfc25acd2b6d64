import {
  type CallOptions,
  CodeExecutorError,
  type ListOptions,
  type ToolListing,
  type ToolSchema,
  untilAborted,
} from '@code-executor/contracts';

import { cancelled } from '../calls/cancelled.js';
import type { PoolServers } from '../pool-servers.js';
import type { UnusableServer } from '../unusable-server.js';
import { UpstreamServer } from '../upstream-server.js';
import { MergedLists } from './merged-lists.js';
import type { KnownTools, UnknownTools } from './server-tools.js';
import { possibleOwners } from './tool-names.js';

const maxShownNameChars = 200;

/** A listed tool, and where to call it. */
export interface FoundTool {
  server: UpstreamServer;
  /** The tool's name at the server. */
  ownName: string;
  schema: ToolSchema;
}

/** A server that a tool may belong to, and what it has. */
interface Owner {
  server: UpstreamServer | UnusableServer;
  ownName: string;
  known: KnownTools | UnknownTools;
}

/** The tools of all servers: as a list, and one by its name. */
export class ToolFinder {
  readonly #servers: PoolServers;
  readonly #lists = new MergedLists();

  constructor(servers: PoolServers) {
    this.#servers = servers;
  }

  /** Tools in the order of the configured servers, then by name. */
  async list(options: ListOptions): Promise<ToolListing> {
    const { name, server: asked, offset = 0, limit = Infinity, signal } = options;
    const { all, names } = this.#servers;
    let servers = all;
    if (name !== undefined) servers = possibleOwners(name, servers).map(({ server }) => server);
    if (asked !== undefined) servers = servers.filter((server) => server.name === asked);
    const answers =
      name !== undefined && options.untilReady
        ? this.#ask(name, options).then((owners) => owners.filter(({ server }) => servers.includes(server)))
        : Promise.all(servers.map(async (server) => ({ server, known: await server.tools(options) })));
    const found = await untilAborted(answers, signal).catch((error: unknown) => {
      throw signal?.aborted ? cancelled(signal) : error;
    });
    const failedServers = found.flatMap(({ server, known: { failure } }) =>
      failure ? [server.describe(failure)] : [],
    );
    const parts = found.map(({ known }) => known);
    const isWhole = servers.length === all.length;
    let tools = isWhole ? this.#lists.whole(parts, names) : this.#lists.merge(parts, names);
    if (name !== undefined) tools = tools.filter((tool) => tool.name === name);
    if (offset > 0 || limit < tools.length) tools = tools.slice(offset, offset + Math.max(0, limit));
    return { tools, failedServers };
  }

  /**
   * The tool, of the server with the longest name that has it.
   *
   * @throws CodeExecutorError `not_found` if there is none; `unavailable` if a server that may have it cannot be
   * asked; `failed_precondition` if the server is another than the one that is meant.
   */
  async find(name: string, by: CallOptions): Promise<FoundTool> {
    const tool = name.slice(0, maxShownNameChars);
    for (const { server, ownName, known } of await this.#ask(name)) {
      const { tools, failure } = known;
      // The tool may be this server's, so no server with a shorter name may answer in its place.
      if (!tools) throw server.failedCall(tool, failure, by);
      const schema = tools.get(ownName);
      if (!schema || !(server instanceof UpstreamServer)) continue;
      if (by.server !== undefined && server.name !== by.server) throw ofAnother(tool, by.server, server.name);
      return { server, ownName, schema };
    }
    const message = `Tool ${tool} does not exist; list the tools to see their names.`;
    throw new CodeExecutorError('not_found', message, { tool });
  }

  /**
   * What all servers that may own the tool have, the longest name first, once they are ready. If none is known to
   * have it, what they have now, because a cached list may be out of date.
   */
  async #ask(name: string, options: ListOptions = {}): Promise<Owner[]> {
    const owners = possibleOwners(name, this.#servers.all);
    const ask = (of: (server: UpstreamServer | UnusableServer) => Promise<KnownTools | UnknownTools>) =>
      Promise.all(owners.map(async (owner) => ({ ...owner, known: await of(owner.server) })));
    const known = await ask((server) => server.tools({ ...options, untilReady: true }));
    const isKnown = known.some(({ ownName, known: { tools } }) => tools?.has(ownName));
    return isKnown ? known : ask((server) => server.toolsOfNow());
  }
}

function ofAnother(tool: string, meant: string, server: string): CodeExecutorError {
  const message = `Tool ${tool} was one of server ${meant}, and is one of ${server} since the configuration changed; run the program again.`;
  return new CodeExecutorError('failed_precondition', message, { tool, server });
}
