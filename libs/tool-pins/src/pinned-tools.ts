import {
  type AuditSink,
  type CallOptions,
  CodeExecutorError,
  type JsonObject,
  type ListOptions,
  type Logger,
  type PinningEvent,
  silentLogger,
  type ToolListing,
  type ToolName,
  type ToolResult,
  type ToolSchema,
  type ToolSource,
} from '@code-executor/contracts';

import { definitionHash, definitionOf } from './definition.js';
import { type ChangedTool, listChanges } from './list-changes.js';
import { PinRecords } from './pin-records.js';
import { PinStore } from './pin-store.js';
import type { Pin, Sight } from './pins.js';
import { fileName } from './pins-text.js';
import { changeOf, describeChange } from './tool-change.js';

/** `report`: a changed tool is shown as changed. `enforce`: it cannot be called either until the change is approved. */
export type PinningPolicy = 'report' | 'enforce';

export interface PinnedToolsOptions {
  /** Where the tools come from. It calls `acceptTool` of the call options. */
  source: ToolSource;
  /** Where pins outlive the process. Default: memory only. */
  file?: string | undefined;
  policy: PinningPolicy;
  /** What tells a server from others: its name, and what it is. Tools of another identity have their own pins. */
  identityOf: (server: string) => string;
  /** Gets what was pinned, has changed or was blocked. Default: none. */
  audit?: AuditSink<PinningEvent>;
  /** Default: silence. */
  logger?: Logger;
}

/** What pinning knows, for `health`. */
export interface PinningStatus {
  policy: PinningPolicy;
  /** The tools that differ from their pins: the first ones. */
  changedTools: ChangedTool[];
  /** How many more there are. */
  omitted?: number;
  /** Why pins cannot be read, written or made. */
  problem?: string;
}

/** What is known about a listed tool, as long as pins, policy and identity are the same. */
interface Verdict {
  version: number;
  identity: string;
  policy: PinningPolicy;
  /** The tool as it is listed. */
  shown: ToolSchema;
  /** Why it must not be called. */
  refusal?: { reason: string; fix: string };
}

/** How long tools are compared before other work has a turn. */
const maxTurnMs = 20;
const approve = 'Look at the change and approve it with code-executor tools approve, or remove the server.';

/**
 * A source whose tools are compared with their definitions of before. A tool that was not seen before is pinned as it is.
 * It lists the same objects as the source as long as nothing has changed.
 */
export class PinnedTools implements ToolSource {
  readonly #options: PinnedToolsOptions;
  readonly #records: PinRecords;
  readonly #store: PinStore;
  readonly #hashes = new WeakMap<ToolSchema, string>();
  readonly #verdicts = new WeakMap<ToolSchema, Verdict>();
  readonly #lists = new WeakMap<ToolSchema[], { state: string; tools: ToolSchema[] }>();
  #policy: PinningPolicy;
  #isFull = false;

  /** Opens nothing before the first listing or call. */
  constructor(options: PinnedToolsOptions) {
    const { policy, audit, logger = silentLogger, file } = options;
    this.#options = options;
    this.#policy = policy;
    this.#records = new PinRecords(audit, logger);
    const onSeen = this.#records.seen.bind(this.#records);
    this.#store = new PinStore({ file, logger, onSeen });
  }

  /** Judges by this policy from now on. */
  setPolicy(policy: PinningPolicy): void {
    this.#policy = policy;
  }

  async listTools(options: ListOptions = {}): Promise<ToolListing> {
    const [listing] = await Promise.all([this.#options.source.listTools(options), this.#store.load()]);
    const tools = await this.#judgeAll(listing.tools);
    return tools === listing.tools ? listing : { ...listing, tools };
  }

  /**
   * Compares what a server has listed just now, so that a change is known before anybody lists the tools; never rejects.
   * What {@link listTools} lists may be older.
   */
  async see(tools: readonly ToolSchema[]): Promise<void> {
    await this.#store.load();
    if (!this.#store.isUsable) return;
    await inTurns(tools, (tool) => {
      const verdict = this.#judge(tool);
      const pin = this.#pinOf(tool, verdict.identity);
      // The change that was seen before is undone.
      if (pin?.change && pin.pinned.hash === this.#hashOf(tool))
        this.#store.see(sightOf(tool, verdict.identity));
    });
  }

  /** Refuses, under `enforce`, a tool that differs from its pin when the call is made. */
  async callTool(name: ToolName, args: JsonObject, options: CallOptions = {}): Promise<ToolResult> {
    const { source } = this.#options;
    if (this.#policy !== 'enforce') return source.callTool(name, args, options);
    await this.#store.load();
    let refused: CodeExecutorError | undefined;
    const acceptTool = (tool: ToolSchema) => {
      options.acceptTool?.(tool);
      refused = this.#refusalOf(tool);
      if (refused) throw refused;
    };
    try {
      return await source.callTool(name, args, { ...options, acceptTool });
    } catch (error) {
      if (refused === undefined || error !== refused) throw error;
    }
    // The change may have been approved just now.
    await this.#store.load({ now: true });
    return source.callTool(name, args, {
      ...options,
      acceptTool: (tool) => {
        const error = this.#refusalOf(tool);
        if (!error) return;
        this.#records.blocked(tool, options);
        throw error;
      },
    });
  }

  /** The tools of these servers that differ from their pins. Never rejects. */
  async status(servers: Iterable<string>, limit = 20): Promise<PinningStatus> {
    await this.#store.load();
    const identities = new Set([...servers].map((server) => this.#options.identityOf(server)));
    const changes = listChanges(this.#store.pins).filter(({ identity }) => identities.has(identity));
    const problem = this.#problem;
    return {
      policy: this.#policy,
      changedTools: changes.slice(0, limit).map(({ server, tool, pinnedAt, changedAt, what }) => ({
        ...{ server, tool, pinnedAt, changedAt, what },
      })),
      ...(changes.length > limit && { omitted: changes.length - limit }),
      ...(problem !== undefined && { problem }),
    };
  }

  /** Writes what is not written yet. */
  close(): Promise<void> {
    return this.#store.close();
  }

  get #problem(): string | undefined {
    if (this.#store.problem !== undefined) return this.#store.problem;
    return this.#isFull ? `${fileName} is full; some tools are not pinned.` : undefined;
  }

  #refusalOf(tool: ToolSchema): CodeExecutorError | undefined {
    const { refusal } = this.#judge(tool);
    if (!refusal) return undefined;
    const { name, server } = tool;
    const message = `Tool ${name} is blocked: ${refusal.reason} ${refusal.fix}`;
    return new CodeExecutorError('permission_denied', message, { tool: name, server });
  }

  /** The same array if it says the same, and the same new one as long as the verdicts are the same. */
  async #judgeAll(listed: ToolSchema[]): Promise<ToolSchema[]> {
    const before = this.#lists.get(listed);
    if (before?.state === this.#state) return before.tools;
    await inTurns(listed, (tool) => this.#judge(tool));
    const shown = listed.map((tool) => this.#judge(tool).shown);
    const isSame = shown.every((tool, index) => tool === listed[index]);
    const isAsBefore = before && shown.every((tool, index) => tool === before.tools[index]);
    const tools = isSame ? listed : isAsBefore ? before.tools : shown;
    this.#lists.set(listed, { state: this.#state, tools });
    return tools;
  }

  /** Verdicts are the same as long as this is. */
  get #state(): string {
    return `${this.#policy} ${this.#store.version} ${this.#store.isUsable}`;
  }

  #judge(tool: ToolSchema): Verdict {
    const identity = this.#options.identityOf(tool.server);
    const { version } = this.#store;
    const before = this.#verdicts.get(tool);
    if (before?.version === version && before.identity === identity && before.policy === this.#policy) {
      return before;
    }
    const isNew = before?.identity !== identity;
    const verdict = { version, identity, policy: this.#policy, ...this.#compare(tool, identity, isNew) };
    // What was made of the object before is still right.
    if (before && isSame(before.shown, verdict.shown)) verdict.shown = before.shown;
    this.#verdicts.set(tool, verdict);
    return verdict;
  }

  #compare(tool: ToolSchema, identity: string, isNew: boolean): Pick<Verdict, 'shown' | 'refusal'> {
    const isEnforced = this.#policy === 'enforce';
    if (!this.#store.isUsable) {
      if (!isEnforced) return { shown: tool };
      const reason = `The definitions that were approved are not known: ${this.#store.problem ?? ''}`;
      return refused(tool, reason, `Repair ${fileName} in the home of Code Executor.`);
    }
    const pin = this.#pinOf(tool, identity);
    if (pin?.pinned.hash === this.#hashOf(tool)) return { shown: tool };
    const sight = sightOf(tool, identity);
    // Another process may list the tool in another way. An object that was compared before is not news, so that the two
    // do not correct each other all the time.
    if ((isNew || !pin?.change) && this.#store.see(sight) === 'full') return this.#unpinned(tool, isEnforced);
    const known = this.#pinOf(tool, identity);
    if (!known || known.pinned.hash === sight.definition.hash) return { shown: tool };
    const what = describeChange(changeOf(known.pinned, sight.definition));
    const changed = `Changed since ${known.at.slice(0, 10)}: ${what}.`;
    return isEnforced ? refused({ ...tool, changed }, changed, approve) : { shown: { ...tool, changed } };
  }

  #pinOf({ name }: ToolSchema, identity: string): Pin | undefined {
    return this.#store.pins.get(identity)?.tools.get(name);
  }

  #unpinned(tool: ToolSchema, isEnforced: boolean): Pick<Verdict, 'shown' | 'refusal'> {
    this.#isFull = true;
    if (!isEnforced) return { shown: tool };
    const fix = 'Remove servers with code-executor tools forget.';
    return refused(tool, 'It cannot be pinned, because there are too many pins.', fix);
  }

  #hashOf(tool: ToolSchema): string {
    let hash = this.#hashes.get(tool);
    if (hash === undefined) this.#hashes.set(tool, (hash = definitionHash(tool)));
    return hash;
  }
}

function sightOf(tool: ToolSchema, identity: string): Sight {
  const { server, name } = tool;
  return { identity, server, tool: name, definition: definitionOf(tool), at: new Date().toISOString() };
}

/** Lets other work have its turn, because ten thousand hostile definitions take a while. */
async function inTurns<Item>(items: readonly Item[], work: (item: Item) => void): Promise<void> {
  let since = performance.now();
  for (const item of items) {
    work(item);
    if (performance.now() - since < maxTurnMs) continue;
    await new Promise((resolve) => setImmediate(resolve));
    since = performance.now();
  }
}

/** The reason of a server that cannot be called says more. */
function refused(tool: ToolSchema, reason: string, fix: string): Pick<Verdict, 'shown' | 'refusal'> {
  const unavailable = tool.unavailable ?? { reason, fix };
  return { shown: { ...tool, unavailable }, refusal: { reason, fix } };
}

function isSame(one: ToolSchema, other: ToolSchema): boolean {
  return (
    one.changed === other.changed &&
    one.unavailable?.reason === other.unavailable?.reason &&
    one.unavailable?.fix === other.unavailable?.fix
  );
}
