import { dotted, type KeyPath } from './key-path.js';
import {
  atLeast,
  atMost,
  free,
  more,
  type Narrowed,
  type NarrowRule,
  onlyTo,
  own,
  someOf,
  someOfOrAll,
  someOwnToolsOrAny,
  someToolsOrAny,
  someToolsOrNone,
  towards,
} from './narrow-rules.js';
import { isTree } from './retired-keys.js';
import type { Config } from './schema.js';

/** A rule for each key, or for all keys below one. A key of the schema without a rule does not compile. */
type RulesOf<Group> = {
  [Key in keyof Group]-?: RuleOf<Exclude<Group[Key], undefined>>;
};
type RuleOf<Value> =
  | NarrowRule<Value>
  | (Value extends readonly unknown[] | string | number | boolean
      ? never
      : string extends keyof Value
        ? { '*': RulesOf<Exclude<Value[keyof Value], undefined>> }
        : RulesOf<Value>);

/** What a trusted project may set. The numbers and words are the defaults; a test compares them with the schema's. */
export const narrowRules: RulesOf<Omit<Config, 'mcpServers'>> = {
  version: free,
  mcpConfigPath: own,
  projectOnly: onlyTo(true, false),
  security: {
    defaultTimeoutMs: atMost(30_000),
    maxTimeoutMs: atMost(300_000),
    maxCodeSize: atMost(100_000),
    allowRead: someOf,
    allowWrite: someOfOrAll,
    allowNetwork: someOf,
    rateLimit: {
      enabled: onlyTo(true, true),
      windowMs: atLeast(60_000),
      maxRequests: atMost(30),
    },
  },
  sandbox: {
    isolation: towards(['portable', 'auto', 'strict'], 'auto'),
    maxConcurrent: atMost(16),
    maxQueued: atMost(200),
    queueTimeoutMs: atMost(30_000),
    maxFinished: atMost(1000),
    keepFinishedMs: atMost(300_000),
    maxOutputChars: atMost(100_000),
    spares: { typescript: atMost(4), python: atMost(1), idleMs: atMost(600_000), maxMemoryMb: atMost(512) },
  },
  executors: {
    typescript: {
      enabled: onlyTo(false, true),
      denoPath: own,
      heapMb: atMost(128),
      memoryMb: atMost(256),
    },
    python: { enabled: onlyTo(false, true), memoryMb: atMost(512), packagesDir: own, indexUrl: own },
  },
  pool: {
    maxConcurrent: atMost(100),
    maxQueued: atMost(200),
    queueTimeoutMs: free,
    failureThreshold: free,
    resetTimeoutMs: free,
    callTimeoutMs: free,
    connectTimeoutMs: free,
  },
  discovery: { timeoutMs: free },
  // The content of a store is trusted for all servers.
  schemaCache: { store: own, ttlMs: free, maxEntries: atMost(1000) },
  policy: {
    ceiling: someToolsOrAny,
    defaultAllowedTools: someToolsOrNone,
    readOnly: onlyTo(true, false),
    ask: more,
    servers: { '*': { allow: someOwnToolsOrAny, deny: more, ask: more } },
    pinning: towards(['report', 'enforce'], 'report'),
    // It sees all arguments, and runs a program of the user.
    hook: own,
    budget: { maxCalls: atMost(1000), maxConcurrent: atMost(32), maxBytes: atMost(67_108_864) },
  },
  http: own,
  tools: { getExecution: free },
  audit: {
    enabled: onlyTo(true, true),
    // More records, but texts that the user does not want on disk.
    code: own,
    path: own,
    retentionDays: atLeast(30),
    maxMegabytes: atLeast(512),
    required: onlyTo(true, false),
  },
  log: own,
};

export interface NarrowedConfig {
  config: Config;
  /** The dotted keys of wishes that the project does not get, or not in full. */
  cut: string[];
}

/**
 * The user's configuration with that of a trusted project over it. Servers are merged; everything else may narrow what
 * the user allows, but never widen it.
 */
export function narrowConfig(base: Config, wish: Config): NarrowedConfig {
  const cut: string[] = [];
  const { mcpServers, ...settings } = wish;
  const config = narrowGroup(settings, base, narrowRules as Rules, [], cut) as Config;
  if (mcpServers) config.mcpServers = { ...base.mcpServers, ...mcpServers };
  return { config, cut };
}

type Rules = { [key: string]: Rules | NarrowRule<unknown> };

function narrowGroup(wish: object, base: object, rules: Rules, path: KeyPath, cut: string[]): object {
  const result: Record<string, unknown> = { ...base };
  for (const [key, value] of Object.entries(wish)) {
    const rule = Object.hasOwn(rules, key) ? rules[key] : rules['*'];
    const before = Object.hasOwn(base, key) ? (base as Record<string, unknown>)[key] : undefined;
    const place = [...path, key];
    let narrowed: Narrowed<unknown>;
    if (typeof rule === 'function') narrowed = rule(value, before);
    else if (rule && isTree(value)) {
      narrowed = { value: narrowGroup(value, isTree(before) ? before : {}, rule, place, cut), isCut: false };
    } else narrowed = own(value, before);
    if (narrowed.isCut) cut.push(dotted(place));
    if (narrowed.value === undefined) Reflect.deleteProperty(result, key);
    else result[key] = narrowed.value;
  }
  return result;
}
