import { CodeExecutorError, identifierOf, type ToolHit, type ToolSource } from '@code-executor/contracts';

/** What a program wrote as `tools.<server>.<tool>`, or as `tools["<server>"]["<tool>"]`. */
export interface ToolPath {
  server: string;
  tool: string;
}

const maxShownNames = 5;
const maxShownChars = 200;

/** Finds the tools that one program means by paths. */
export class ToolPaths {
  readonly #source: ToolSource<ToolHit>;
  /** By the names of servers, as programs wrote them: one listing that all calls share, so that they stay in their order. */
  readonly #servers = new Map<string, Promise<PathIndex | undefined>>();
  #everything: Promise<PathIndex> | undefined;

  constructor(source: ToolSource<ToolHit>) {
    this.#source = source;
  }

  /**
   * The tool that is meant: by its name as it is, or by the identifier of that, of either language. Undefined
   * where there is none, or its server cannot be listed. Rejects with `invalid_argument` where it may be several.
   */
  async find(path: ToolPath, signal: AbortSignal): Promise<ToolHit | undefined> {
    const index = await this.#indexOf(path.server, signal);
    const found = index?.find(path) ?? [];
    if (found.length > 1) throw severalMeant(path, found);
    return found[0];
  }

  #indexOf(server: string, signal: AbortSignal): Promise<PathIndex | undefined> {
    let index = this.#servers.get(server) ?? this.#everything;
    if (!index) {
      index = this.#list(server, signal);
      this.#servers.set(server, index);
      const forget = () => this.#servers.delete(server);
      void index.then((found) => found ?? forget(), forget);
    }
    return index;
  }

  /** Asks one server where it can, for the others need not be connected for this; everything once at most. */
  async #list(server: string, signal: AbortSignal): Promise<PathIndex | undefined> {
    const { tools, failedServers } = await this.#source.listTools({ server, detail: 'schemas', signal });
    if (tools.length > 0) return new PathIndex(tools);
    // Of others, what is listed already may tell too.
    if (failedServers.some((failed) => failed.server === server)) return undefined;
    this.#everything ??= this.#source
      .listTools({ detail: 'schemas', signal })
      .then((listing) => new PathIndex(listing.tools));
    return this.#everything;
  }
}

/** Tools by server and name: each lookup costs the same, whatever a program asks for. */
class PathIndex {
  readonly #servers = new Names<Names<ToolHit>>();

  constructor(tools: readonly ToolHit[]) {
    for (const tool of tools) {
      const { name, server = '' } = tool;
      const [ofServer = this.#servers.add(server, new Names())] = this.#servers.exactly(server);
      ofServer.add(name.slice(`mcp__${server}__`.length), tool);
    }
  }

  find({ server, tool }: ToolPath): ToolHit[] {
    return this.#servers.find(server).flatMap((ofServer) => ofServer.find(tool));
  }
}

class Names<Value> {
  readonly #exact = new Map<string, Value>();
  readonly #alike = new Map<string, Value[]>();

  add(name: string, value: Value): Value {
    this.#exact.set(name, value);
    for (const identifier of new Set([identifierOf(name, 'camelCase'), identifierOf(name, 'snake_case')])) {
      const alike = this.#alike.get(identifier);
      if (alike) alike.push(value);
      else this.#alike.set(identifier, [value]);
    }
    return value;
  }

  exactly(name: string): Value[] {
    const value = this.#exact.get(name);
    return value === undefined ? [] : [value];
  }

  /** A name that others are called by as well is not enough to tell which is meant. */
  find(name: string): Value[] {
    return [...new Set([...this.exactly(name), ...(this.#alike.get(name) ?? [])])];
  }
}

function severalMeant({ server, tool }: ToolPath, found: readonly ToolHit[]): CodeExecutorError {
  const written = `tools.${server.slice(0, maxShownChars)}.${tool.slice(0, maxShownChars)}`;
  const names = found.slice(0, maxShownNames).map(({ name }) => name.slice(0, maxShownChars));
  return new CodeExecutorError(
    'invalid_argument',
    `${written} may be any of ${names.join(', ')}; call the one you mean by its full name.`,
  );
}
