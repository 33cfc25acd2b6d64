import type { Config } from '@code-executor/config';

import { StartedHttpServer } from '../server-under-test/started-http-server.js';
import { StartedServer } from '../server-under-test/started-server.js';

/** A built server with settings of its own, and what shows each of them. */
export interface Plan<S> {
  /** Its configuration file. */
  config?: Config;
  /** What that file says where environment variables set these keys to what `config` says. */
  instead?: Record<string, string | number | boolean>;
  /** Further files in its home, which it runs in. */
  files?: Record<string, string>;
  env?: Record<string, string>;
  /** By key or variable: fails where that has no effect. */
  shows: Record<string, (server: S) => Promise<void>>;
}

interface Closable {
  close(): Promise<void>;
}

type Start<S> = (files: Record<string, string>, env: Record<string, string>) => Promise<S>;

/** What shows some settings. */
export interface Scene {
  /** The keys and variables that it shows. */
  settings: readonly string[];
  /** The keys that it shows with their variables, too. */
  withVariables: readonly string[];
  show(setting: string): Promise<void>;
  /** The same where the variables (by key) say what the file says here, and the file something else. */
  fromEnvironment(variables: ReadonlyMap<string, string>): Scene;
  close(): Promise<void>;
}

/** A plan and its server, which is started for the first setting that is shown. */
class ServerScene<S extends Closable> implements Scene {
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

  fromEnvironment(variables: ReadonlyMap<string, string>): Scene {
    const config = structuredClone(this.#plan.config ?? {});
    const env = { ...this.#plan.env };
    for (const [key, value] of Object.entries(this.#plan.instead ?? {})) {
      env[variables.get(key) ?? ''] = String(replaceAt(config, key, value));
    }
    return new ServerScene({ ...this.#plan, config, env }, this.#start);
  }

  async close(): Promise<void> {
    await (await this.#server?.catch(() => undefined))?.close();
  }
}

/** Sets a key, and gives the value that it had. */
function replaceAt(config: object, key: string, value: unknown): unknown {
  const path = key.split('.');
  const last = path.pop() ?? '';
  let node = config as Record<string, unknown>;
  for (const segment of path) node = (node[segment] ??= {}) as Record<string, unknown>;
  const before = node[last];
  node[last] = value;
  return before;
}

/** Settings seen over MCP. */
export function overStdio(plan: Plan<StartedServer>): Scene {
  return new ServerScene(plan, (files, env) => StartedServer.start(files, env));
}

/** Settings seen over HTTP. */
export function overHttp(plan: Plan<StartedHttpServer>): Scene {
  return new ServerScene(plan, (files, env) => StartedHttpServer.start(files, env));
}

/** Settings that need a server each, or none. */
export function alone(shows: Record<string, () => Promise<void>>): Scene {
  return new ServerScene({ shows }, () => Promise.resolve({ close: () => Promise.resolve() }));
}

/** Does it once for each server, whichever settings it shows there. */
export function oncePer<S extends object, T>(look: (server: S) => Promise<T>): (server: S) => Promise<T> {
  const looks = new WeakMap<S, Promise<T>>();
  return (server) => {
    const found = looks.get(server) ?? look(server);
    looks.set(server, found);
    return found;
  };
}
