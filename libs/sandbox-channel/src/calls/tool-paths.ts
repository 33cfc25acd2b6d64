import {
  CodeExecutorError,
  type FailedServer,
  type ToolHit,
  type ToolSource,
} from '@code-executor/contracts';
import { identifierOf } from '@code-executor/schema-types';

/** What a program wrote as `tools.<server>.<tool>`, or as `tools["<server>"]["<tool>"]`. */
export interface ToolPath {
  server: string;
  tool: string;
}

const maxShownNames = 5;
const maxShownChars = 200;

/** Finds the tools that one program names by paths. */
export class ToolPaths {
  readonly #source: ToolSource<ToolHit>;
  /** Listings by the names of servers as written. All calls share a listing, so that they stay in their order. */
  readonly #servers = new Map<string, Promise<PathIndex | undefined>>();
  #everything: Promise<Everything> | undefined;

  constructor(source: ToolSource<ToolHit>) {
    this.#source = source;
  }

  /**
   * The tool that a path means: `server` and `tool` are exact names, or their identifiers in one of the languages.
   * Undefined if there is none, or its server cannot be listed. Rejects with `invalid_argument` if it may be several.
   */
  async find(path: ToolPath, signal: AbortSignal): Promise<ToolHit | undefined> {
    const kept = this.#servers.get(path.server) ?? this.#everything?.then(({ index }) => index);
    const index = await (kept ?? this.#listOnce(path.server, signal));
    let found = index?.find(path) ?? [];
    if (kept && found.length === 0) {
      // The server may have more tools by now.
      const server = index?.serverOf(path) ?? path.server;
      found = (await this.#listServer(server, signal))?.find({ ...path, server }) ?? [];
    }
    if (found.length > 1) throw severalMeant(path, found);
    return found[0];
  }

  /** Lists a server and keeps the listing. For names that are not exact, it uses `#everything` instead. */
  #listOnce(server: string, signal: AbortSignal): Promise<PathIndex | undefined> {
    const own = this.#listServer(server, signal);
    const index = own.then((found) => found ?? this.#listOthers(server, signal));
    this.#servers.set(server, index);
    const forget = () => this.#servers.delete(server);
    void index.then(async () => (await own) ?? forget()).catch(forget);
    return index;
  }

  /** For names that are not exact: finds them in the listing of all servers. */
  async #listOthers(written: string, signal: AbortSignal): Promise<PathIndex | undefined> {
    const { index, failed } = await (this.#everything ??= this.#listEverything(signal));
    if (failed.some(({ server }) => server === written)) return undefined;
    const meant = failed.find(({ server, isStarting }) => isStarting && isCalled(server, written));
    return meant ? this.#listServer(meant.server, signal) : index;
  }

  /** Lists all servers. The listing is kept for as long as the program runs, unless servers are still starting. */
  async #listEverything(signal: AbortSignal): Promise<Everything> {
    try {
      const { tools, failedServers } = await this.#source.listTools({ detail: 'schemas', signal });
      if (failedServers.some(({ isStarting }) => isStarting)) this.#everything = undefined;
      return { index: new PathIndex(tools), failed: failedServers };
    } catch (error) {
      this.#everything = undefined;
      throw error;
    }
  }

  /** Waits for the server, because a program that names it is about to call it. Undefined if there are no tools. */
  async #listServer(server: string, signal: AbortSignal): Promise<PathIndex | undefined> {
    const options = { server, detail: 'schemas', untilReady: true, signal } as const;
    const { tools } = await this.#source.listTools(options);
    return tools.length > 0 ? new PathIndex(tools) : undefined;
  }
}

/** All tools, and the servers that could not be listed. */
interface Everything {
  index: PathIndex;
  failed: readonly FailedServer[];
}

/** Whether a program may write a server's name like this. */
function isCalled(name: string, written: string): boolean {
  return identifierOf(name, 'camelCase') === written || identifierOf(name, 'snake_case') === written;
}

/** Tools by server and name. Each lookup costs the same, whatever a program asks for. */
class PathIndex {
  readonly #servers = new Names<Names<ToolHit>>();

  constructor(tools: readonly ToolHit[]) {
    for (const tool of tools) {
      const { name, server = '' } = tool;
      const [ofServer = this.#servers.add(server, new Names())] = this.#servers.exactly(server);
      ofServer.add(name.slice(`mcp__${server}__`.length), tool);
    }
  }

  /** The name of the server that is meant. */
  serverOf({ server }: Pick<ToolPath, 'server'>): string | undefined {
    return this.#servers.find(server)[0]?.values[0]?.server;
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

  get values(): Value[] {
    return [...this.#exact.values()];
  }

  exactly(name: string): Value[] {
    const value = this.#exact.get(name);
    return value === undefined ? [] : [value];
  }

  /** Everything that the name may mean, because several names can have the same identifier. */
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
