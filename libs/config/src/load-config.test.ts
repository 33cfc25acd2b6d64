import { realpath, rm } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { describe, expect, test } from '@jest/globals';

import { configFiles } from './config-files.js';
import { root, cwd, home, hashOf, write, own, load, failure } from './load-config.test.support.js';

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
      readOnly: true,
      ask: ['executePython'],
      servers: { constructor: { allow: ['x_*'], deny: ['y'], ask: ['z'] } },
      budget: { maxCalls: 1, maxConcurrent: 1, maxBytes: 1000 },
    },
    http: {
      host: '::1',
      port: 1,
      clients: {
        constructor: { tokenHash: hashOf('a') },
        'b-c_1': {
          tokenHash: hashOf('b'),
          policy: { allow: ['mcp__a__*'], deny: [], ceiling: ['a'], ask: ['*'], readOnly: true },
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
