import { createHash } from 'node:crypto';
import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';

import { CodeExecutorError } from '@code-executor/contracts';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';

import { configFiles } from './config-files.js';
import { loadConfig, type LoadConfigOptions } from './load-config.js';

let root: string;
let cwd: string;
let home: string;
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'config-'));
  cwd = join(root, 'project');
  home = join(root, 'home');
  await Promise.all([mkdir(cwd), mkdir(home)]);
});
afterEach(() => rm(root, { recursive: true, force: true }));

const hashOf = (token: string) => `sha256:${createHash('sha256').update(token).digest('hex')}`;
const write = async (path: string, content: unknown) => {
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, typeof content === 'string' ? content : JSON.stringify(content));
};
const own = (content: unknown) => write(join(home, '.code-executor.json'), content);
const load = (options: LoadConfigOptions = {}) => loadConfig({ cwd, home, env: {}, ...options });
const failure = async (options?: LoadConfigOptions) => {
  const reason: unknown = await load(options).catch((error: unknown) => error);
  if (!CodeExecutorError.is(reason)) throw new Error('expected a CodeExecutorError', { cause: reason });
  return reason;
};

describe('loadConfig finds its file', () => {
  const level = (word: string) => ({ log: { level: word } });
  const places = () => ({
    warn: join(home, '.code-executor.json'),
    info: join(home, '.config', 'code-executor', 'config.json'),
    debug: join(home, '.code-executor', 'config.json'),
  });

  test('in the documented order', async () => {
    for (const [word, path] of Object.entries(places())) await write(path, level(word));
    for (const [word, path] of Object.entries(places())) {
      const { config, file } = await load();
      expect({ config, file }).toEqual({ config: level(word), file: path });
      await rm(path);
    }
    expect(await load()).toMatchObject({ config: {}, warnings: [] });
    expect(await load()).not.toHaveProperty('file');
    expect(await configFiles({ cwd, home, env: {} })).toEqual([
      ...Object.values(places()),
      join(await realpath(cwd), '.code-executor.json'),
      join(cwd, '.mcp.json'),
      join(home, '.code-executor', 'trusted-projects.json'),
    ]);
  });

  test('where XDG_CONFIG_HOME and CODE_EXECUTOR_HOME point', async () => {
    await write(join(root, 'xdg', 'code-executor', 'config.json'), level('warn'));
    expect((await load({ env: { XDG_CONFIG_HOME: join(root, 'xdg') } })).config).toEqual(level('warn'));
    // The XDG specification has relative paths ignored.
    const env = { XDG_CONFIG_HOME: relative(process.cwd(), join(root, 'xdg')) };
    expect((await load({ env })).config).toEqual({});
    await write(join(root, 'own', 'config.json'), level('info'));
    expect((await load({ env: { CODE_EXECUTOR_HOME: '../own' } })).config).toEqual(level('info'));
  });

  test('and says where the product keeps its files', async () => {
    expect((await load()).homeDir).toBe(join(home, '.code-executor'));
    expect((await load({ env: { CODE_EXECUTOR_HOME: '../own' } })).homeDir).toBe(join(root, 'own'));
  });

  test('alone where one is named, the option before the variable', async () => {
    await own(level('error'));
    await write(join(root, 'a.json'), level('debug'));
    await write(join(root, 'b.json'), level('trace'));
    const env = { CODE_EXECUTOR_CONFIG_PATH: '../a.json' };
    expect((await load({ env })).config).toEqual(level('debug'));
    expect(await load({ env, file: join(root, 'b.json') })).toMatchObject({
      config: level('trace'),
      file: join(root, 'b.json'),
    });
  });

  test('and fails where the named one is missing', async () => {
    await own(level('error'));
    expect(await failure({ file: 'none.json' })).toMatchObject({
      code: 'failed_precondition',
      message: `File ${join(cwd, 'none.json')} does not exist; correct the path given with --config.`,
    });
    expect((await failure({ env: { CODE_EXECUTOR_CONFIG_PATH: '../../etc/x' } })).message).toContain(
      'does not exist; correct or unset CODE_EXECUTOR_CONFIG_PATH.',
    );
  });

  test.each(['CODE_EXECUTOR_CONFIG_PATH', 'CODE_EXECUTOR_HOME'])(
    'and fails where %s is empty',
    async (name) => {
      expect(await failure({ env: { [name]: '' } })).toMatchObject({
        code: 'invalid_argument',
        message: `${name} is empty; set it to a path or unset it.`,
      });
    },
  );
});

describe('loadConfig reads', () => {
  const everything = {
    version: 1,
    mcpConfigPath: './servers.json',
    projectOnly: true,
    mcpServers: {
      constructor: { command: 'a', args: ['', '-x'], env: { A: '' }, cwd: '/tmp' },
      'b.c-d_1': { type: 'streamable-http', url: 'https://example.com/mcp', headers: { A: 'b' } },
      off: { disabled: true },
    },
    security: {
      defaultTimeoutMs: 1000,
      maxTimeoutMs: 600_000,
      maxCodeSize: 1,
      allowRead: ['/data'],
      allowWrite: ['/data/out'],
      allowNetwork: ['example.com:8443'],
    },
    sandbox: {
      isolation: 'strict',
      maxConcurrent: 1,
      maxQueued: 0,
      queueTimeoutMs: 1000,
      maxOutputChars: 1000,
      spares: { typescript: 0, python: 0, idleMs: 1000, maxMemoryMb: 0 },
    },
    executors: {
      typescript: { enabled: false, denoPath: '/bin/deno', heapMb: 64, memoryMb: 64 },
      python: {
        enabled: false,
        memoryMb: 256,
        packagesDir: '/packages',
        indexUrl: 'https://pypi.example.com/simple',
      },
    },
    pool: {
      maxConcurrent: 1000,
      maxQueued: 1,
      queueTimeoutMs: 300_000,
      failureThreshold: 1,
      resetTimeoutMs: 1000,
      callTimeoutMs: 1000,
      connectTimeoutMs: 1000,
    },
    policy: {
      ceiling: [],
      defaultAllowedTools: ['mcp__a__*'],
      servers: { constructor: { allow: ['x_*'], deny: ['y'] } },
      budget: { maxCalls: 1, maxConcurrent: 1, maxBytes: 1000 },
    },
    http: {
      host: '::1',
      port: 1,
      clients: {
        constructor: { tokenHash: hashOf('a') },
        'b-c_1': {
          tokenHash: hashOf('b'),
          policy: { allow: ['mcp__a__*'], deny: [] },
          rateLimit: { enabled: false, windowMs: 1000, maxRequests: 1 },
        },
      },
    },
    log: { level: 'silent' },
  };

  test('every key', async () => {
    await own(everything);
    expect((await load()).config).toEqual(everything);
  });

  test('values that spread into plain options', async () => {
    await own(everything);
    const { config } = await load();
    // Compiles only while absent keys are absent, not undefined.
    const options: { denoPath?: string; heapMb?: number; isolation?: 'auto' | 'strict' | 'portable' } = {
      ...config.executors?.typescript,
      ...config.sandbox,
    };
    expect(options).toMatchObject({ denoPath: '/bin/deno', isolation: 'strict' });
  });

  test('comments, trailing commas and a byte order mark', async () => {
    await own('\uFEFF// why\n{ "log": { /* so */ "level": "debug", }, }');
    expect((await load()).config).toEqual({ log: { level: 'debug' } });
  });

  test('the environment over the file, and says where each value comes from', async () => {
    await own({
      log: { level: 'debug' },
      pool: { maxConcurrent: 5, callTimeoutMs: 2000 },
      policy: { servers: { a: { allow: ['x'] } } },
    });
    const env = {
      POOL_MAX_CONCURRENT: '7',
      POOL_QUEUE_SIZE: '8',
      POOL_QUEUE_TIMEOUT_MS: '9000',
      LOG_LEVEL: 'WARN',
      MCP_CONFIG_PATH: 'm.json',
      CODE_EXECUTOR_ISOLATION: 'portable',
      DENO_PATH: '/deno',
    };
    const { config, origins } = await load({ env });
    expect(config).toEqual({
      log: { level: 'warn' },
      pool: { maxConcurrent: 7, maxQueued: 8, queueTimeoutMs: 9000, callTimeoutMs: 2000 },
      policy: { servers: { a: { allow: ['x'] } } },
      mcpConfigPath: 'm.json',
      sandbox: { isolation: 'portable' },
      executors: { typescript: { denoPath: '/deno' } },
    });
    expect(origins.get('pool.maxConcurrent')).toBe('env');
    expect(origins.get('executors.typescript.denoPath')).toBe('env');
    expect(origins.get('pool.callTimeoutMs')).toBe('file');
    expect(origins.get('policy.servers.a.allow')).toBe('file');
    expect(origins.get('security.maxCodeSize')).toBe('default');
    expect([...origins.keys()].filter((key) => key.includes('<'))).toEqual([]);
  });

  test('env: values, everywhere a string stands', async () => {
    await own({
      executors: { typescript: { denoPath: 'env:MY_DENO' } },
      security: { allowRead: ['env:DATA', '/x'] },
      mcpServers: {
        a: {
          command: 'env:CMD',
          args: ['env:DATA', '${DATA}/y', '${NONE:-z}', '${NONE}'],
          env: { TOKEN: 'env:SECRET' },
        },
      },
    });
    const env = { MY_DENO: '/d', DATA: '/data', CMD: 'run', SECRET: 'p${DATA}env:CMD' };
    const { config, warnings } = await load({ env });
    expect(config).toEqual({
      executors: { typescript: { denoPath: '/d' } },
      security: { allowRead: ['/data', '/x'] },
      // What a variable holds is not looked at again.
      mcpServers: {
        a: { command: 'run', args: ['/data', '/data/y', 'z', '${NONE}'], env: { TOKEN: 'p${DATA}env:CMD' } },
      },
    });
    expect(warnings).toEqual([
      `MCP server a in ${join(home, '.code-executor.json')}: mcpServers.a.args[3] uses "\${NONE}", which is not set and stays as it is.`,
    ]);
  });

  test('security.allowedTools as policy.ceiling, with a warning', async () => {
    await own({ security: { allowedTools: ['mcp__a__*'], maxCodeSize: 5 } });
    const { config, warnings, origins } = await load();
    expect(config).toEqual({ security: { maxCodeSize: 5 }, policy: { ceiling: ['mcp__a__*'] } });
    expect(origins.get('policy.ceiling')).toBe('file');
    expect(warnings).toEqual([
      `Configuration file ${join(home, '.code-executor.json')}: security.allowedTools is now policy.ceiling; please rename it.`,
    ]);
    // The old meaning of an empty list was "no ceiling".
    await own({ security: { allowedTools: [] } });
    expect((await load()).config).toEqual({});
  });

  test('the old keys of the audit log, with a warning each', async () => {
    const file = `Configuration file ${join(home, '.code-executor.json')}`;
    await own({ security: { enableAuditLog: false, auditLogPath: 'audit.log', maxCodeSize: 5 } });
    const { config, warnings, origins } = await load();
    expect(config).toEqual({ security: { maxCodeSize: 5 }, audit: { enabled: false, path: 'audit.log' } });
    expect(origins.get('audit.enabled')).toBe('file');
    expect(warnings).toEqual([
      `${file}: security.enableAuditLog is now audit.enabled; please rename it.`,
      `${file}: security.auditLogPath is now audit.path; please rename it.`,
    ]);
  });

  test.each([
    ['true', true],
    ['FALSE', false],
  ])('ENABLE_AUDIT_LOG=%s over the file', async (ENABLE_AUDIT_LOG, enabled) => {
    await own({ audit: { enabled: !enabled, retentionDays: 7 } });
    const env = { ENABLE_AUDIT_LOG, AUDIT_LOG_RETENTION_DAYS: '365', AUDIT_LOG_PATH: 'records' };
    expect((await load({ env })).config).toEqual({ audit: { enabled, retentionDays: 365, path: 'records' } });
  });
});

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
      '"a\\u001b[31m" is not a known key; the keys here are version, mcpConfigPath, projectOnly, mcpServers, security, sandbox, executors, pool, discovery, schemaCache, policy, http, audit, log.',
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

describe('a place where no file can ever be', () => {
  const text = 'is on a file system of the kernel, which keeps no files; choose another folder.';

  test.each([
    ['audit.path', { audit: { path: '/proc/none/deep' } }, {}],
    ['audit.path', { audit: { path: '/sys/records.jsonl' } }, {}],
    ['audit.path', {}, { AUDIT_LOG_PATH: '/proc/self/x' }],
    ['CODE_EXECUTOR_HOME', {}, { CODE_EXECUTOR_HOME: '/proc/none' }],
  ])('is an error that names %s: %j %j', async (key, content, env) => {
    await own(content);
    expect(await failure({ env })).toMatchObject({ code: 'failed_precondition', message: `${key} ${text}` });
  });

  test('is none where nothing is written, or something is in the way for now', async () => {
    await own({ audit: { enabled: false, path: '/proc/none' } });
    await load();
    await own({ audit: { path: '/dev/null/records' } });
    await load({ env: { CODE_EXECUTOR_HOME: join(root, 'not', 'there') } });
  });
});
