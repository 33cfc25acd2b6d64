import type { Logger, ToolSchema } from '@code-executor/contracts';

/** Servers announce changes in bursts: one listing answers them all. */
const settleMs = 100;
/** How long a reader waits for a listing that is under way, before it gets the old one. */
const waitMs = 500;

type ListTools = (signal: AbortSignal) => Promise<Map<string, ToolSchema>>;

/** The tools of one connection by their own names, listed again after the server announces a change. */
export class ToolCatalog {
  readonly #list: ListTools;
  readonly #refreshTimeoutMs: number;
  readonly #logger: Logger;
  #tools: ReadonlyMap<string, ToolSchema> = new Map();
  #refresh: Promise<void> | undefined;
  #hasLoaded = false;
  #isStale = false;

  constructor(list: ListTools, refreshTimeoutMs: number, logger: Logger) {
    this.#list = list;
    this.#refreshTimeoutMs = refreshTimeoutMs;
    this.#logger = logger;
  }

  get size(): number {
    return this.#tools.size;
  }

  /** The first listing; rejects when it fails. */
  async load(signal: AbortSignal): Promise<void> {
    this.#tools = await this.#list(signal);
    this.#hasLoaded = true;
    if (this.#isStale) this.markStale();
  }

  /** The server says that its tools changed. */
  markStale(): void {
    this.#isStale = true;
    if (this.#hasLoaded) this.#refresh ??= this.#refreshWhileStale();
  }

  /** The tools now; after a change the new ones, if they come soon. */
  async current(): Promise<ReadonlyMap<string, ToolSchema>> {
    if (this.#refresh) await Promise.race([this.#refresh, delay(waitMs)]);
    return this.#tools;
  }

  async #refreshWhileStale(): Promise<void> {
    while (this.#isStale) {
      await delay(settleMs);
      this.#isStale = false;
      try {
        this.#tools = await this.#list(AbortSignal.timeout(this.#refreshTimeoutMs));
      } catch (error) {
        this.#logger.warn({ err: error }, 'the changed tools could not be listed; the old list stays');
      }
    }
    this.#refresh = undefined;
  }
}

function delay(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
