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

/** Finds the tools that one program means by paths. */
export class ToolPaths {
  readonly #source: ToolSource<ToolHit>;
  /** By the names of servers, as programs wrote them: one listing that all calls share, so that they stay in their order. */
  readonly #servers = new Map<string, Promise<PathIndex | undefined>>();
  #everything: Promise<Everything> | undefined;

  constructor(source: ToolSource<ToolHit>) {
    this.#source = source;
  }

  /**
   * The tool that is meant: by its name as it is, or by the identifier of that, of either language. Undefined
   * where there is none, or its server cannot be listed. Rejects with `invalid_argument` where it may be several.
   */
  async find(path: ToolPath, signal: AbortSignal): Promise<ToolHit | undefined> {
    const kept = this.#servers.get(path.server) ?? this.#everything?.then(({ index }) => index);
    const index = await (kept ?? this.#listOnce(path.server, signal));
    let found = index?.find(path) ?? [];
    if (kept && found.length === 0) {
      // There may be more by now.
      const server = index?.serverOf(path) ?? path.server;
      found = (await this.#listServer(server, signal))?.find({ ...path, server }) ?? [];
    }
    if (found.length > 1) throw severalMeant(path, found);
    return found[0];
  }

  /** Kept where it is of one server; everything is kept by itself. */
  #listOnce(server: string, signal: AbortSignal): Promise<PathIndex | undefined> {
    const own = this.#listServer(server, signal);
    const index = own.then((found) => found ?? this.#listOthers(server, signal));
    this.#servers.set(server, index);
    const forget = () => this.#servers.delete(server);
    void index.then(async () => (await own) ?? forget()).catch(forget);
    return index;
  }

  /** Of others, what is listed already may tell too. */
  async #listOthers(written: string, signal: AbortSignal): Promise<PathIndex | undefined> {
    const { index, failed } = await (this.#everything ??= this.#listEverything(signal));
    if (failed.some(({ server }) => server === written)) return undefined;
    const meant = failed.find(({ server, isStarting }) => isStarting && isCalled(server, written));
    return meant ? this.#listServer(meant.server, signal) : index;
  }

  /** Kept for as long as the program runs, unless more is to come. */
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

  /** Waits for the server: whoever names one is about to call it. Undefined where there are no tools of that name. */
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

/** Whether a program may write a name so. */
function isCalled(name: string, written: string): boolean {
  return identifierOf(name, 'camelCase') === written || identifierOf(name, 'snake_case') === written;
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
