import { setTimeout as delay } from 'node:timers/promises';

import { type Logger, type ToolSchema, within } from '@code-executor/contracts';

import { definitionKey } from './definition-key.js';
import { isRecord } from '../json-record.js';
import { type ProtocolVerdict, toProtocolVerdict } from '../connection/protocol-verdict.js';
import type { UpstreamServer } from '../options.js';
import type { CacheVerdict, ToolListCache } from './tool-list-cache.js';
import { type ListedTools, toEntry, toolsFrom } from './tool-listing.js';

/** Servers announce changes in bursts, and one listing answers them all. */
const settleMs = 100;
/** If a server announces changes all the time, this wait doubles each time, up to this limit. */
const maxSettleMs = 5_000;

/** A server cannot have its list read again more often than this. */
const minTtlMs = 1_000;

type Tools = ReadonlyMap<string, ToolSchema>;

const noTools: Tools = new Map();

export interface ToolCatalogOptions {
  name: string;
  server: UpstreamServer;
  cache: ToolListCache;
  /** Connects if necessary, and lists; rejects with a `ConnectFailure`. */
  list: () => Promise<ListedTools>;
  /** Called with the tools each time the server has listed them. */
  onListed?: ((tools: readonly ToolSchema[]) => void) | undefined;
  /** Longest wait for a listing that is under way if there is an older one. */
  discoveryTimeoutMs: number;
  logger: Logger;
}

/** The tools of one server by their own names, from the cache; listed again after the server announces a change. */
export class ToolCatalog {
  readonly #options: ToolCatalogOptions;
  readonly #key: string;
  /** The last value of the cache that was understood. */
  #value: unknown;
  /** The value whose protocol is not that of the server any more. */
  #outdated: unknown;
  #tools: Tools | undefined;
  #refreshing: Promise<void> | undefined;
  #isChanged = false;
  #settleMs = settleMs;
  #settledAt = -Infinity;
  #lists = 0;
  #askedAt: number | undefined;

  constructor(options: ToolCatalogOptions) {
    this.#options = options;
    this.#key = definitionKey(options.name, options.server);
  }

  /** Number of tools; undefined if they are not known. */
  get size(): number | undefined {
    return this.#tools?.size;
  }

  /** The protocol that the server spoke when its tools were listed, if that is known. */
  get protocol(): ProtocolVerdict | undefined {
    const verdict = isRecord(this.#value) ? toProtocolVerdict(this.#value['protocol']) : undefined;
    return this.#value === this.#outdated ? undefined : verdict;
  }

  /** The server does not speak that protocol any more. */
  forgetProtocol(): void {
    this.#outdated = this.#value;
  }

  /** The tool as it was listed last. */
  tool(ownName: string): ToolSchema | undefined {
    return this.#tools?.get(ownName);
  }

  /** For how long the server has been asked for its list; undefined while it is not being asked. */
  get askedForMs(): number | undefined {
    return this.#askedAt === undefined ? undefined : performance.now() - this.#askedAt;
  }

  /**
   * The tools; after a change the new ones, if they come soon. The same map as long as they are the same.
   * `isRetryDue` lists them again in the background. Rejects with a `ConnectFailure` if none were ever listed; resolves
   * with undefined once the server has been asked for `discoveryTimeoutMs`, except `untilReady`.
   */
  async current({
    isRetryDue,
    untilReady,
  }: {
    isRetryDue: boolean;
    untilReady: boolean;
  }): Promise<Tools | undefined> {
    if (this.#refreshing) await this.#within(this.#refreshing);
    const { cache, discoveryTimeoutMs } = this.#options;
    const judge = (value: unknown) => this.#judge(value, isRetryDue);
    let isAsked = (): void => {};
    // The limit begins here, because reading the cache may take a while, and says nothing about the server.
    const asked = new Promise<void>((resolve) => (isAsked = resolve));
    if (this.#askedAt !== undefined) isAsked();
    const load = () => {
      const loading = this.#load();
      isAsked();
      return loading;
    };
    const listing = cache
      .getOrLoad(this.#key, load, judge)
      .then((value) => this.#understand(value) ?? noTools);
    if (untilReady) return listing;
    const inTime = asked.then(() => within(discoveryTimeoutMs - (this.askedForMs ?? 0), listing));
    return (await Promise.race([listing, inTime])) ?? this.#tools;
  }

  /** Lists again, and waits for it, but not longer than `discoveryTimeoutMs`. */
  async refresh(): Promise<void> {
    await this.#within(this.listAgain());
  }

  /** Lists again; the old list stays if that fails. */
  listAgain(): Promise<void> {
    // A change announced meanwhile may have come too late for this listing.
    return (this.#refreshing ??= this.#refreshOnce()
      .then(() => this.#refreshWhileChanged())
      .finally(() => (this.#refreshing = undefined)));
  }

  /** The server says that its tools changed. */
  markChanged(): void {
    this.#isChanged = true;
    this.#refreshing ??= this.#refreshWhileChanged().finally(() => (this.#refreshing = undefined));
  }

  async #refreshWhileChanged(): Promise<void> {
    while (this.#isChanged) {
      const isCalm = performance.now() - this.#settledAt > 2 * maxSettleMs;
      this.#settleMs = isCalm ? settleMs : Math.min(2 * this.#settleMs, maxSettleMs);
      await delay(this.#settleMs);
      this.#isChanged = false;
      await this.#refreshOnce();
      this.#settledAt = performance.now();
    }
  }

  /** Never rejects: the old list stays. */
  async #refreshOnce(): Promise<void> {
    const { name, cache, logger } = this.#options;
    const before = this.#lists;
    try {
      // The first time may share a listing that began before the change.
      for (let time = 0; time < 2 && this.#lists === before; time += 1) {
        this.#understand(await cache.getOrLoad(this.#key, this.#load, () => 'unusable'));
      }
    } catch (error) {
      logger.warn({ server: name, err: error }, 'the tools could not be listed again; the old list stays');
    }
  }

  readonly #load = async (): Promise<unknown> => {
    this.#lists += 1;
    this.#askedAt = performance.now();
    try {
      const { tools, ttlMs, protocol } = await this.#options.list();
      this.#options.onListed?.([...tools.values()]);
      const freshUntil = ttlMs === undefined ? undefined : Date.now() + Math.max(ttlMs, minTtlMs);
      return {
        tools: [...tools].map(toEntry),
        protocol,
        ...(freshUntil !== undefined && { freshUntil }),
      };
    } finally {
      this.#askedAt = undefined;
    }
  };

  #judge(value: unknown, isRetryDue: boolean): CacheVerdict {
    if (!this.#understand(value)) return 'unusable';
    const { freshUntil } = value as { freshUntil?: unknown };
    const isExpired = typeof freshUntil === 'number' && freshUntil <= Date.now();
    return isRetryDue || isExpired ? 'stale' : 'fresh';
  }

  /** The tools of a cached value, which is checked as a server's answer is; undefined if it is not a list of tools. */
  #understand(value: unknown): Tools | undefined {
    if (value === this.#value && this.#tools) return this.#tools;
    const tools = isRecord(value) ? toolsFrom(this.#options.name, value['tools']) : undefined;
    if (!tools) return undefined;
    this.#value = value;
    // What others made of the tools is kept by these objects, so equal tools stay the same objects.
    if (!this.#tools || !areSame(tools, this.#tools)) this.#tools = tools;
    return this.#tools;
  }

  async #within(listing: Promise<void>): Promise<void> {
    await within(this.#options.discoveryTimeoutMs, listing);
  }
}

/** Compares the JSON: that is what the tools came from. */
function areSame(a: Tools, b: Tools): boolean {
  return a.size === b.size && JSON.stringify([...a.values()]) === JSON.stringify([...b.values()]);
}
