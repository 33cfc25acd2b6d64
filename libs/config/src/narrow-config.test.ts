import { describe, expect, test } from '@jest/globals';

import { configKeys } from './config-keys.js';
import { narrowConfig, narrowRules } from './narrow-config.js';
import { type Config, configSchema } from './schema.js';

/** The defaults in the reference. */
const defaults = new Map(
  configKeys().map(({ key, description }) => [
    key,
    /Default: (?:([\w.-]+?)(?:\.$|\.\s)|`(\w+)`)/.exec(description)?.[1],
  ]),
);

/** The result of a project's wish over the user's configuration. */
function narrowed(own: Config, wish: Config) {
  return narrowConfig(configSchema.parse(own), configSchema.parse(wish));
}

describe('a trusted project', () => {
  test.each<[string, Config, Config]>([
    ['a shorter time limit', {}, { security: { maxTimeoutMs: 60_000 } }],
    [
      'a subset of the user’s folders',
      { security: { allowRead: ['/a', '/b'] } },
      { security: { allowRead: ['/b'] } },
    ],
    ['no folders', { security: { allowRead: ['/a'] } }, { security: { allowRead: [] } }],
    [
      'a list of folders where all are allowed',
      { security: { allowWrite: true } },
      { security: { allowWrite: ['/a'] } },
    ],
    ['no writing', { security: { allowWrite: ['/a'] } }, { security: { allowWrite: false } }],
    ['strict isolation', {}, { sandbox: { isolation: 'strict' } }],
    ['a ceiling where there is none', {}, { policy: { ceiling: ['mcp__a__*'] } }],
    [
      'a ceiling within the user’s',
      { policy: { ceiling: ['mcp__a__*'] } },
      { policy: { ceiling: ['mcp__a__get_*'] } },
    ],
    [
      'fewer tools by default',
      { policy: { defaultAllowedTools: ['mcp__a__*'] } },
      { policy: { defaultAllowedTools: ['mcp__a__x'] } },
    ],
    [
      'tools of a server that is allowed as a whole',
      { policy: { ceiling: ['a', 'mcp__b__*'] } },
      { policy: { ceiling: ['a', 'mcp__a__x', 'b'] } },
    ],
    ['tools of a server', {}, { policy: { servers: { constructor: { allow: ['x'] } } } }],
    ['only tools that read', {}, { policy: { readOnly: true } }],
    ['questions before programs start', {}, { policy: { ask: ['executePython'] } }],
    ['a smaller budget', {}, { policy: { budget: { maxCalls: 10 } } }],
    ['required records', {}, { audit: { required: true, retentionDays: 90 } }],
    ['no Python', {}, { executors: { python: { enabled: false } } }],
    ['only its own servers', {}, { projectOnly: true }],
    ['other times of the pool', {}, { pool: { callTimeoutMs: 600_000 } }],
  ])('may have %s', (_what, own, wish) => {
    const { config, cut } = narrowed(own, wish);
    expect(cut).toEqual([]);
    expect(config).toMatchObject(wish);
  });

  test.each<[string, Config, Config, Config]>([
    ['security.maxTimeoutMs', {}, { security: { maxTimeoutMs: 300_001 } }, { security: {} }],
    [
      'security.maxCodeSize',
      { security: { maxCodeSize: 10 } },
      { security: { maxCodeSize: 11 } },
      { security: { maxCodeSize: 10 } },
    ],
    [
      'security.allowRead',
      { security: { allowRead: ['/a'] } },
      { security: { allowRead: ['/a', '/a/b', '/'] } },
      { security: { allowRead: ['/a'] } },
    ],
    ['security.allowRead', {}, { security: { allowRead: ['/'] } }, { security: { allowRead: [] } }],
    ['security.allowWrite', {}, { security: { allowWrite: true } }, { security: { allowWrite: false } }],
    [
      'security.allowWrite',
      { security: { allowWrite: ['/a'] } },
      { security: { allowWrite: ['/b'] } },
      { security: { allowWrite: [] } },
    ],
    ['security.allowNetwork', {}, { security: { allowNetwork: ['*'] } }, { security: { allowNetwork: [] } }],
    [
      'security.rateLimit.enabled',
      {},
      { security: { rateLimit: { enabled: false } } },
      { security: { rateLimit: {} } },
    ],
    ['sandbox.isolation', {}, { sandbox: { isolation: 'portable' } }, { sandbox: {} }],
    [
      'sandbox.isolation',
      { sandbox: { isolation: 'strict' } },
      { sandbox: { isolation: 'auto' } },
      { sandbox: { isolation: 'strict' } },
    ],
    [
      'executors.typescript.denoPath',
      {},
      { executors: { typescript: { denoPath: '/evil' } } },
      { executors: { typescript: {} } },
    ],
    [
      'executors.python.packagesDir',
      {},
      { executors: { python: { packagesDir: '/evil' } } },
      { executors: { python: {} } },
    ],
    [
      'executors.python.enabled',
      { executors: { python: { enabled: false } } },
      { executors: { python: { enabled: true } } },
      { executors: { python: { enabled: false } } },
    ],
    ['schemaCache.store', {}, { schemaCache: { store: 'redis://evil' } }, { schemaCache: {} }],
    [
      'policy.ceiling',
      { policy: { ceiling: ['mcp__a__*', 'mcp__b__x'] } },
      { policy: { ceiling: ['*'] } },
      { policy: { ceiling: ['mcp__a__*', 'mcp__b__x'] } },
    ],
    [
      'policy.defaultAllowedTools',
      {},
      { policy: { defaultAllowedTools: ['mcp__a__*'] } },
      { policy: { defaultAllowedTools: [] } },
    ],
    // Each could be a tool of another server, such as a__b.
    ...['mcp__a__*', 'mcp__a__b__c', 'mcp__a___c', 'mcp__a__b*'].map(
      (entry): [string, Config, Config, Config] => [
        'policy.ceiling',
        { policy: { ceiling: ['a'] } },
        { policy: { ceiling: [entry] } },
        { policy: { ceiling: entry === 'mcp__a__*' ? ['a'] : [] } },
      ],
    ),
    [
      'policy.servers.a.allow',
      { policy: { servers: { a: { allow: ['x'] } } } },
      { policy: { servers: { a: { allow: ['y'] } } } },
      { policy: { servers: { a: { allow: [] } } } },
    ],
    [
      'policy.readOnly',
      { policy: { readOnly: true } },
      { policy: { readOnly: false } },
      { policy: { readOnly: true } },
    ],
    ['policy.budget.maxCalls', {}, { policy: { budget: { maxCalls: 1001 } } }, { policy: { budget: {} } }],
    ['http', {}, { http: { port: 80 } }, {}],
    ['audit.enabled', {}, { audit: { enabled: false } }, { audit: {} }],
    ['audit.path', { audit: { path: '/a' } }, { audit: { path: '/dev/null' } }, { audit: { path: '/a' } }],
    ['audit.retentionDays', {}, { audit: { retentionDays: 1 } }, { audit: {} }],
    ['log', {}, { log: { level: 'silent' } }, {}],
    ['projectOnly', { projectOnly: true }, { projectOnly: false }, { projectOnly: true }],
    ['mcpConfigPath', {}, { mcpConfigPath: '/evil' }, {}],
  ])('does not widen %s', (key, own, wish, expected) => {
    expect(narrowed(own, wish)).toEqual({ config: expected, cut: [key] });
  });

  test('may forbid more, and keeps what the user forbids', () => {
    const deny = (...tools: string[]): Config => ({ policy: { servers: { a: { deny: tools } } } });
    expect(narrowed(deny('x'), deny('y'))).toEqual({ config: deny('x', 'y'), cut: [] });
    expect(narrowed(deny('x'), deny())).toEqual({ config: deny('x'), cut: [] });
  });

  test('may have more calls asked about, and keeps what the user wants asked about', () => {
    const ask = (own: string, ...tools: string[]): Config => ({
      policy: { ask: [own], servers: { a: { ask: tools } } },
    });
    const both: Config = {
      policy: { ask: ['executePython', 'execute*'], servers: { a: { ask: ['x', 'y'] } } },
    };
    expect(narrowed(ask('executePython', 'x'), ask('execute*', 'y'))).toEqual({ config: both, cut: [] });
  });

  test('changes no key that it leaves out', () => {
    const own: Config = { security: { allowRead: ['/a'], maxCodeSize: 5 }, log: { level: 'warn' } };
    expect(narrowed(own, { security: { maxCodeSize: 4 } })).toEqual({
      config: { ...own, security: { allowRead: ['/a'], maxCodeSize: 4 } },
      cut: [],
    });
  });
});

test('the rules have the defaults of the reference', () => {
  const compared: string[] = [];
  const visit = (rules: object, path: string[]): void => {
    for (const [key, rule] of Object.entries(rules) as [string, unknown][]) {
      const place = [...path, key];
      if (typeof rule === 'object' && rule !== null) visit(rule, place);
      const text = defaults.get(place.join('.'));
      if (typeof rule !== 'function' || text === undefined || !/^(\d+|true|false|auto)$/.test(text)) continue;
      const decide = rule as (wish: unknown, own: unknown) => { isCut: boolean };
      const value = /^\d+$/.test(text) ? Number(text) : text === 'auto' ? text : text === 'true';
      const others =
        typeof value === 'number' ? [value - 1, value + 1] : value === 'auto' ? ['portable'] : [!value];
      // Free rules allow the others too, and `own` allows none.
      const outcomes = [value, ...others].map((wish) => decide(wish, undefined).isCut);
      if (outcomes.every((isCut) => isCut === outcomes[0])) continue;
      expect([place.join('.'), outcomes[0]]).toEqual([place.join('.'), false]);
      compared.push(place.join('.'));
      if (typeof value === 'number') expect(outcomes.filter((isCut) => isCut)).toHaveLength(1);
    }
  };
  visit(narrowRules, []);
  expect(compared).toEqual(
    expect.arrayContaining(['security.maxTimeoutMs', 'audit.retentionDays', 'sandbox.isolation']),
  );
  expect(compared.length).toBeGreaterThan(20);
});
