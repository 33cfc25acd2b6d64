import { enabledLanguages } from '@code-executor/config';
import type { Caller } from '@code-executor/contracts';
import type { Host, HostSettings } from '@code-executor/host';

import type { FirstSettings } from './first-settings.js';
import { instructionsFor, instructionsWhenBroken } from './instructions.js';
import { introductions } from './introductions.js';
import type { FoundSettings } from './read-settings.js';
import type { Tool } from './tool.js';

/** The tool that looks up executions. */
const lookUpName = 'getExecution';

/** Where the host comes from, once something needs it. */
interface HostOpener {
  open: (settings: HostSettings) => Promise<Host>;
}

/** What a client gets under the configuration of now: instructions and tools, which are made when they are asked for. */
export class CurrentOffer {
  readonly #version: string;
  readonly #host: HostOpener;
  #settings: FoundSettings | undefined;
  #problem: string | undefined;
  #tools: Promise<Tool[]> | undefined;

  constructor(
    { settings, problem }: Pick<FirstSettings, 'settings' | 'problem'>,
    version: string,
    host: HostOpener,
  ) {
    this.#version = version;
    this.#host = host;
    this.#settings = settings;
    this.#problem = problem;
  }

  /** Undefined as long as no configuration could be used. */
  get settings(): FoundSettings | undefined {
    return this.#settings;
  }

  /** Shown to the model before it has called anything. */
  instructions(kind: Caller['kind']): string {
    if (!this.#settings) return instructionsWhenBroken(this.#problem ?? '');
    const { config, servers, unusable } = this.#settings;
    const languages = enabledLanguages(config).map((language) => introductions[language]);
    return instructionsFor(Object.keys(servers), languages, unusable, this.#looksUp(kind));
  }

  async tools({ kind }: Caller): Promise<readonly Tool[]> {
    const tools = await (this.#tools ??= this.#makeTools());
    return this.#looksUp(kind) ? tools : tools.filter(({ name }) => name !== lookUpName);
  }

  /** Goes on with these settings. */
  use(settings: FoundSettings, hasChanged: boolean): void {
    this.#settings = settings;
    if (hasChanged) this.#tools = undefined;
  }

  /** Remembers what is wrong with the files; undefined once they can be used again. */
  report(problem: string | undefined): void {
    this.#problem = problem;
    if (!this.#settings) this.#tools = undefined;
  }

  /** Over HTTP a client may lose an answer and call again; on stdio, who loses the connection loses the server. */
  #looksUp(kind: Caller['kind']): boolean {
    return kind === 'http' || this.#settings?.config.tools?.getExecution === true;
  }

  async #makeTools(): Promise<Tool[]> {
    const usable = this.#settings;
    if (!usable) {
      return (await import('./refusing-tools.js')).refusingTools(this.#version, this.#problem ?? '');
    }
    const { offeredTools } = await import('./offered-tools.js');
    return offeredTools({
      version: this.#version,
      settings: usable,
      host: () => this.#host.open(this.#settings ?? usable),
      warnings: () => [
        ...(this.#problem === undefined ? [] : [this.#problem]),
        ...(this.#settings?.warnings ?? []),
      ],
    });
  }
}
