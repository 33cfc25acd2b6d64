import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { home, hashOf, own, load, failure } from './load-config.test.support.js';

describe('loadConfig refuses', () => {
  const cases: [string, unknown, string][] = [
    [
      'required records of a log that is off',
      { audit: { enabled: false, required: true } },
      'audit.required is true and audit.enabled is not.',
    ],
    [
      'a number out of range',
      { security: { defaultTimeoutMs: 5 } },
      'security.defaultTimeoutMs is the number 5 (expected integer from 1000 to 300000).',
    ],
    [
      'a fraction',
      { sandbox: { maxQueued: 1.5 } },
      'sandbox.maxQueued is the number 1.5 (expected integer from 0 to 10000).',
    ],
    [
      'an infinite number',
      '{"pool":{"callTimeoutMs":1e999}}',
      'pool.callTimeoutMs is the number Infinity (expected integer from 1000 to 600000).',
    ],
    [
      'a number in quotes',
      { pool: { maxConcurrent: '5' } },
      'pool.maxConcurrent is the string "5" (expected integer from 1 to 1000).',
    ],
    [
      'a long string',
      { log: { level: 'x'.repeat(500) } },
      `log.level is the string "${'x'.repeat(60)}…" (expected "fatal", "error", "warn", "info", "debug", "trace", "silent").`,
    ],
    [
      'a rule about a tool of another server',
      { policy: { servers: { a: { deny: ['x', 'mcp__b__slow'] } } } },
      'policy.servers.a.deny[1] is "mcp__b__slow", which no tool of server a can match; write "slow" or "mcp__a__slow".',
    ],
    [
      'a ceiling that no tool can match',
      { policy: { ceiling: ['mcp__github'] } },
      'policy.ceiling[0] is "mcp__github", which no tool can match; full names are mcp__<server>__<tool>, and all tools of a server mcp__<server>__* or <server>.',
    ],
    ['null', { policy: { budget: null } }, 'policy.budget is null (expected object).'],
    ['a wrong version', { version: 2 }, 'version is the number 2 (expected 1).'],
    [
      'a list item',
      { security: { allowRead: ['/a', 3] } },
      'security.allowRead[1] is the number 3 (expected non-empty string).',
    ],
    ['a NUL character', { mcpConfigPath: 'a\0b' }, 'mcpConfigPath contains a NUL character.'],
    [
      'a wrong choice',
      { security: { allowWrite: 'yes' } },
      'security.allowWrite is the string "yes" (expected boolean or array of non-empty strings).',
    ],
    [
      'isolation by container',
      { sandbox: { isolation: 'container' } },
      'sandbox.isolation is the string "container" (expected "auto", "strict", "portable"; "container" is not available yet).',
    ],
    [
      'a default above the maximum',
      { security: { defaultTimeoutMs: 5000, maxTimeoutMs: 4000 } },
      'security.defaultTimeoutMs is above security.maxTimeoutMs.',
    ],
    [
      'a heap above the memory',
      { executors: { typescript: { heapMb: 512, memoryMb: 256 } } },
      'executors.typescript.heapMb is above executors.typescript.memoryMb.',
    ],
    [
      'a misspelt key',
      { pool: { maxConcurent: 5 } },
      'pool.maxConcurent is not a known key; did you mean pool.maxConcurrent?',
    ],
    ['a misspelt group', { polcy: {} }, 'polcy is not a known key; did you mean policy?'],
    [
      'a misspelt key below a name',
      { policy: { servers: { a: { alow: [] } } } },
      'policy.servers.a.alow is not a known key; did you mean policy.servers.a.allow?',
    ],
    [
      'a key in the wrong place',
      { callTimeoutMs: 5000 },
      'callTimeoutMs is not a known key; did you mean pool.callTimeoutMs?',
    ],
    [
      'a key like no other',
      { log: { colour: true } },
      'log.colour is not a known key; the keys here are level.',
    ],
    [
      'keys that every object has',
      { log: { constructor: 1 } },
      'log.constructor is not a known key; the keys here are level.',
    ],
    [
      'a key with control characters',
      { 'a\u001b[31m': 1 },
      '"a\\u001b[31m" is not a known key; the keys here are version, mcpConfigPath, projectOnly, mcpServers, security, sandbox, executors, pool, discovery, schemaCache, policy, http, tools, audit, log.',
    ],
    [
      'a server name with a space',
      { policy: { servers: { 'a b': {} } } },
      'policy.servers."a b" is not a possible name (expected letters, digits, "_", "-" and ".", at most 128).',
    ],
    [
      'a client name with a dot',
      { http: { clients: { 'a.b': { tokenHash: hashOf('a') } } } },
      'http.clients."a.b" is not a possible name (expected letters, digits, "_" and "-", at most 64).',
    ],
    [
      'a client without a token',
      { http: { clients: { a: {} } } },
      'http.clients.a.tokenHash is absent (expected string; "sha256:" and 64 digits of 0-9, a-f).',
    ],
    [
      'a store that is none, which may hold a password',
      { schemaCache: { store: 'http://:hunter2@host' } },
      'schemaCache.store is a string (expected non-empty string; redis:// or rediss://).',
    ],
    [
      'a token instead of its hash, without repeating it',
      { http: { clients: { a: { tokenHash: 'hunter2' } } } },
      'http.clients.a.tokenHash is a string (expected string; "sha256:" and 64 digits of 0-9, a-f).',
    ],
    [
      'one token for two clients, without showing its hash',
      { http: { clients: { a: { tokenHash: hashOf('a') }, b: { tokenHash: hashOf('a') } } } },
      'http.clients.b.tokenHash is also that of http.clients.a; create a token for each.',
    ],
    [
      'a misspelt key of a client',
      { http: { clients: { a: { tokenHash: hashOf('a'), policy: { allows: [] } } } } },
      'http.clients.a.policy.allows is not a known key; did you mean http.clients.a.policy.allow?',
    ],
    [
      'an unset env: variable',
      { executors: { typescript: { denoPath: 'env:NONE' } } },
      'executors.typescript.denoPath asks for the environment variable "NONE", which is not set.',
    ],
    [
      'a moved key of the wrong type',
      { security: { allowedTools: 'x' } },
      'security.allowedTools is the string "x" (expected array of non-empty strings).',
    ],
    [
      'a moved key beside its successor',
      { security: { allowedTools: ['x'] }, policy: { ceiling: ['y'] } },
      'security.allowedTools is now policy.ceiling, which is there too; keep only policy.ceiling.',
    ],
    [
      'skipDangerousPatternCheck',
      { security: { skipDangerousPatternCheck: true } },
      'security.skipDangerousPatternCheck is gone: the pattern check blocks nothing, the sandbox does, so there is nothing to skip; remove it.',
    ],
    [
      'pythonPath',
      { executors: { python: { pythonPath: 'python3' } } },
      'executors.python.pythonPath is gone: Python runs in Pyodide, not in an installed interpreter; remove it.',
    ],
    [
      'the Python version',
      { executors: { python: { version: '3.11' } } },
      'executors.python.version is gone: the version of Python is that of the Pyodide package; remove it.',
    ],
    ['a list', [1], 'the top level is an array (expected object).'],
    ['a string', '"x"', 'the top level is the string "x" (expected object).'],
    ['an empty file', '', 'line 1, column 1: not valid JSON, value expected.'],
    ['broken JSON', '{\n  "log": {,}\n}', 'line 2, column 11: not valid JSON, value expected.'],
    ['NaN', '{"version": NaN}', 'line 1, column 13: not valid JSON, invalid symbol.'],
    ['a wrong bracket', '{"a": [}', 'line 1, column 8: not valid JSON, unexpected }.'],
    ['a key that is there twice', '{"log": {},\n "log": {}}', 'log (line 2, column 2) is there twice.'],
    [
      '__proto__',
      '{"policy": {"servers": {"__proto__": {}}}}',
      'policy.servers.__proto__ (line 1, column 25) is not allowed as a key.',
    ],
    ['a deep nest', `{"a": ${'['.repeat(500_000)}`, 'line 1, column 70: nested deeper than 64 levels.'],
  ];
  test.each(cases)('%s', async (_name, content, expected) => {
    await own(content);
    const { code, message } = await failure();
    expect(code).toBe('invalid_argument');
    expect(message).toBe(`Configuration file ${join(home, '.code-executor.json')}: ${expected}`);
  });

  test('all problems of file and environment at once', async () => {
    await own({ lgo: {}, security: { maxCodeSize: -1, skipDangerousPatternCheck: false } });
    const { message } = await failure({ env: { LOG_LEVEL: 'loud' } });
    expect(message.split('\n')).toEqual([
      `Configuration file ${join(home, '.code-executor.json')} has 3 problems:`,
      '- security.skipDangerousPatternCheck is gone: the pattern check blocks nothing, the sandbox does, so there is nothing to skip; remove it',
      '- security.maxCodeSize is the number -1 (expected integer from 1 to 10000000)',
      '- lgo is not a known key; did you mean log?',
      'The environment: LOG_LEVEL is "loud" (expected "fatal", "error", "warn", "info", "debug", "trace", "silent").',
    ]);
  });

  test('a hundred thousand problems in a short message', async () => {
    const keys = Array.from({ length: 100_000 }, (_, index) => `"k${index % 5000}":1`);
    await own(`{${keys.join(',')}}`);
    const { message } = await failure();
    expect(message.split('\n')).toHaveLength(22);
    expect(message).toMatch(/\n- and \d+ more$/);
  });

  test('without showing secrets', async () => {
    const secret = 'hunter2';
    const env = { SECRET: secret };
    await own({
      log: { level: 'env:SECRET' },
      sandbox: { maxQueued: 'env:SECRET' },
    });
    const { message } = await failure({ env });
    expect(message).not.toContain(secret);
    expect(message).toContain('log.level is a string');
    await own({
      mcpServers: { a: { command: 'x', env: { A: 5 }, headers: 'hunter2', url: 'hunter2', args: 'hunter2' } },
    });
    const { warnings, unusable } = await load({ env });
    expect(JSON.stringify({ warnings, unusable })).not.toContain(secret);
    expect(warnings).toEqual([expect.stringContaining('mcpServers.a.env.A is a number (expected string)')]);
  });

  describe('the environment', () => {
    test.each(['1e9', '-1', '0x10', ' 5', '5 ', '5abc', '', '0', '1001', '05', '5.0', '٥'])(
      'POOL_MAX_CONCURRENT=%j',
      async (value) => {
        expect(await failure({ env: { POOL_MAX_CONCURRENT: value } })).toMatchObject({
          code: 'invalid_argument',
          message: `The environment: POOL_MAX_CONCURRENT is ${JSON.stringify(value)} (expected integer from 1 to 1000).`,
        });
      },
    );

    test.each([
      ['CODE_EXECUTOR_ISOLATION', 'container', '"container" is not available yet'],
      ['LOG_LEVEL', '', 'expected "fatal"'],
      ['ENABLE_AUDIT_LOG', 'yes', 'expected true or false'],
      ['AUDIT_LOG_RETENTION_DAYS', '366', 'expected integer from 1 to 365'],
      ['AUDIT_LOG_PATH', '', 'expected non-empty string'],
      ['DENO_PATH', '', 'expected non-empty string'],
      ['MCP_CONFIG_PATH', '', 'expected non-empty string'],
    ])('%s=%j', async (name, value, expected) => {
      const { message } = await failure({ env: { [name]: value } });
      expect(message).toContain(`${name} is ${JSON.stringify(value)} (`);
      expect(message).toContain(expected);
    });
  });
});
