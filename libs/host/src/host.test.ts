import { existsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import {
  type AuditRecord,
  type Caller,
  type LifecycleEvent,
  silentLogger,
  type ToolSource,
} from '@code-executor/contracts';
import { afterEach, describe, expect, test } from '@jest/globals';

import { createHost, type Host, type HostOptions } from './host.js';
import type { HostSettings } from './settings.js';

const server = (name: string) => ({ command: `/no/such/${name}` });
const told: AuditRecord[] = [];
const options: HostOptions = {
  config: { audit: { enabled: false }, sandbox: { spares: { typescript: 0, python: 0 } } },
  servers: { one: server('one') },
  observe: (event) => void told.push(event),
  logger: silentLogger,
};
let host: Host | undefined;
afterEach(async () => {
  await host?.close();
  told.length = 0;
});
const open = () => (host = createHost(options));
const names = ({ poolStats }: Host) => poolStats.servers.map(({ name }) => name);

describe('a reload', () => {
  test.each<[string, Partial<HostSettings>]>([
    ['the servers', { servers: { one: server('one'), two: server('two') } }],
    ['the policy', { config: { ...options.config, policy: { ceiling: [] } } }],
    ['the clients', { config: { ...options.config, http: { port: 4444 } } }],
    ['limits', { config: { ...options.config, security: { maxTimeoutMs: 40_000 } } }],
    ['nothing', {}],
  ])('of %s keeps connections, tool lists and the audit log', (_what, change) => {
    const opened = open();
    const before = opened.tools;
    opened.reload({ ...options, ...change });
    expect(opened.tools).toBe(before);
    expect(names(opened)).toEqual(Object.keys(change.servers ?? options.servers ?? {}));
  });

  test.each<[string, HostSettings['config']]>([
    ['how servers are connected', { ...options.config, pool: { maxConcurrent: 7 } }],
    ['what is known of their tools', { ...options.config, schemaCache: { ttlMs: 5000 } }],
    ['the record', { ...options.config, audit: { enabled: false, retentionDays: 3 } }],
  ])('of %s replaces connections, tool lists and the audit log', (_what, config) => {
    const opened = open();
    const before = opened.tools;
    opened.reload({ ...options, config });
    expect(opened.tools).not.toBe(before);
    expect(names(opened)).toEqual(['one']);
  });

  test('makes a new executor only if executions are affected', () => {
    const opened = open();
    const { executor } = opened;
    opened.reload({ ...options, servers: {} });
    opened.reload({ ...options, config: { ...options.config, http: { port: 4444 } } });
    expect(opened.executor).toBe(executor);
    opened.reload({ ...options, config: { ...options.config, security: { maxTimeoutMs: 40_000 } } });
    expect(opened.executor).not.toBe(executor);
  });

  test('keeps executions where their caller finds them', async () => {
    const opened = open();
    const caller: Caller = { id: 'ada', kind: 'http' };
    const execution = opened.executor.start({ code: '' }, { caller });
    await execution.result;
    opened.reload({ ...options, config: { ...options.config, security: { maxTimeoutMs: 40_000 } } });
    expect(opened.executor.get(execution.id, caller)).toBe(execution);
    expect((await opened.health()).executions.finished).toBe(1);
  });

  test('is recorded, as are a refused one and the last event', async () => {
    const opened = open();
    opened.reload({ ...options, servers: {} });
    opened.refuse();
    const last: LifecycleEvent = {
      type: 'lifecycle',
      action: 'stopped',
      status: 'success',
      timestamp: 'now',
    };
    await opened.close({ lastEvent: () => last });
    opened.reload(options);
    expect(told.map(({ type, action, status }) => [type, action, status])).toEqual([
      ['config', 'reloaded', 'success'],
      ['config', 'refused', 'rejected'],
      ['lifecycle', 'stopped', 'success'],
    ]);
  });
});

test('a host opens nothing until it is used', async () => {
  const homeDir = join(tmpdir(), `no-host-${process.pid}`);
  const opened = createHost({ config: {}, homeDir });
  expect(opened.poolStats).toEqual({ active: 0, waiting: 0, max: 100, servers: [] });
  await opened.close();
  expect(existsSync(homeDir)).toBe(false);
});

describe('two callers of one host', () => {
  const echo: ToolSource = {
    listTools: () =>
      Promise.resolve({
        tools: (['mcp__shop__buy', 'mcp__shop__look'] as const).map((name) => ({
          name,
          server: 'shop',
          parameters: {},
        })),
        failedServers: [],
      }),
    callTool: (name) => Promise.resolve({ content: [], structuredContent: { name } }),
  };
  const guest: Caller = { id: 'guest', kind: 'http', policy: { allow: ['mcp__shop__look'] } };
  const owner: Caller = { id: 'owner', kind: 'http', policy: {} };
  const code = `
    const listed = (await discoverMCPTools()).filter((tool) => !tool.unavailable).map((tool) => tool.name);
    const bought = await tools.shop.buy({}).then(() => true, () => false);
    console.log('hello');
    return { listed, bought };`;

  test('have lists, calls, executions and records of their own', async () => {
    const shop = (host = createHost({
      ...options,
      config: { ...options.config, executors: { python: { enabled: false } } },
      tools: echo,
    }));
    const run = (caller: Caller) => shop.executor.start({ code, allowedTools: ['shop'] }, { caller });
    const [ofGuest, ofOwner] = [run(guest), run(owner)];
    const [guestReport, ownerReport] = await Promise.all([ofGuest.result, ofOwner.result]);
    expect(guestReport.result).toEqual({ listed: ['mcp__shop__look'], bought: false });
    expect(ownerReport.result).toEqual({ listed: ['mcp__shop__buy', 'mcp__shop__look'], bought: true });
    expect(shop.executor.list({}, guest).map(({ id }) => id)).toEqual([ofGuest.id]);
    expect(shop.executor.get(ofOwner.id, guest)).toBeUndefined();
    const recordsOf = (id: string) =>
      told.filter((event) => event.clientId === id).map(({ type, executionId }) => [type, executionId]);
    expect(recordsOf('guest')).toEqual([
      ['discovery', ofGuest.id],
      ['denial', ofGuest.id],
      ['execution', ofGuest.id],
    ]);
    expect(recordsOf('owner')).toEqual([
      ['discovery', ofOwner.id],
      ['tool_call', ofOwner.id],
      ['execution', ofOwner.id],
    ]);
  });
});
