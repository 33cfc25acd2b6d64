import type { Config } from '@code-executor/config';

import { StartedHttpServer } from '../server-under-test/started-http-server.js';
import { StartedServer } from '../server-under-test/started-server.js';

/** A built server with certain settings, and a check for the effect of each. */
export interface Plan<S> {
  /** Its configuration file. */
  config?: Config;
  /** The content of that file when environment variables set these keys to the values of `config`. */
  instead?: Record<string, string | number | boolean>;
  /** Further files in its home, which is also its working directory. */
  files?: Record<string, string>;
  env?: Record<string, string>;
  /** By key or variable: fails if it has no effect. */
  shows: Record<string, (server: S) => Promise<void>>;
}

interface Closable {
  close(): Promise<void>;
}

type Start<S> = (files: Record<string, string>, env: Record<string, string>) => Promise<S>;

/** Checks the effect of some settings. */
export interface EffectCheck {
  /** The keys and variables that it checks. */
  settings: readonly string[];
  /** The keys that it can also check with their variables. */
  withVariables: readonly string[];
  show(setting: string): Promise<void>;
  /** The same check with the values in the variables (by key), and other values in the file. */
  fromEnvironment(variables: ReadonlyMap<string, string>): EffectCheck;
  close(): Promise<void>;
}

/** A plan and its server, which is started for the first setting that is checked. */
class ServerCheck<S extends Closable> implements EffectCheck {
  readonly #plan: Plan<S>;
  readonly #start: Start<S>;
  #server: Promise<S> | undefined;

  constructor(plan: Plan<S>, start: Start<S>) {
    this.#plan = plan;
    this.#start = start;
  }

  get settings(): readonly string[] {
    return Object.keys(this.#plan.shows);
  }

  get withVariables(): readonly string[] {
    return Object.keys(this.#plan.instead ?? {});
  }

  async show(setting: string): Promise<void> {
    const { config = {}, files = {}, env = {}, shows } = this.#plan;
    this.#server ??= this.#start({ '.code-executor.json': JSON.stringify(config), ...files }, env);
    await shows[setting]?.(await this.#server);
  }

  fromEnvironment(variables: ReadonlyMap<string, string>): EffectCheck {
    const config = structuredClone(this.#plan.config ?? {});
    const env = { ...this.#plan.env };
    for (const [key, value] of Object.entries(this.#plan.instead ?? {})) {
      env[variables.get(key) ?? ''] = String(replaceAt(config, key, value));
    }
    return new ServerCheck({ ...this.#plan, config, env }, this.#start);
  }

  async close(): Promise<void> {
    await (await this.#server?.catch(() => undefined))?.close();
  }
}

/** Sets a key, and returns its previous value. */
function replaceAt(config: object, key: string, value: unknown): unknown {
  const path = key.split('.');
  const last = path.pop() ?? '';
  let node = config as Record<string, unknown>;
  for (const segment of path) node = (node[segment] ??= {}) as Record<string, unknown>;
  const before = node[last];
  node[last] = value;
  return before;
}

/** Checks of settings over MCP. */
export function overStdio(plan: Plan<StartedServer>): EffectCheck {
  return new ServerCheck(plan, (files, env) => StartedServer.start(files, env));
}

/** Checks of settings over HTTP. */
export function overHttp(plan: Plan<StartedHttpServer>): EffectCheck {
  return new ServerCheck(plan, (files, env) => StartedHttpServer.start(files, env));
}

/** Checks of settings that need their own server, or none. */
export function alone(shows: Record<string, () => Promise<void>>): EffectCheck {
  return new ServerCheck({ shows }, () => Promise.resolve({ close: () => Promise.resolve() }));
}

/** Calls `look` once for each server, even if several settings are checked with it. */
export function oncePer<S extends object, T>(look: (server: S) => Promise<T>): (server: S) => Promise<T> {
  const looks = new WeakMap<S, Promise<T>>();
  return (server) => {
    const found = looks.get(server) ?? look(server);
    looks.set(server, found);
    return found;
  };
}
