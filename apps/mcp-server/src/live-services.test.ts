import { type AuditEvent, silentLogger } from '@code-executor/contracts';
import { afterEach, describe, expect, test } from '@jest/globals';

import { LiveServices } from './live-services.js';
import type { Setup } from './setup.js';

const server = (name: string) => ({ command: `/no/such/${name}` });
const told: AuditEvent[] = [];
const setup: Setup = {
  config: { audit: { enabled: false }, sandbox: { spares: { typescript: 0, python: 0 } } },
  servers: { one: server('one') },
  unusable: [],
  warnings: [],
  version: '1.2.3',
  observe: (event) => void told.push(event),
  logger: silentLogger,
};
let live: LiveServices | undefined;
afterEach(async () => {
  await live?.close(0);
  told.length = 0;
});
const open = async () => (live = await LiveServices.open(setup));
const names = ({ current }: LiveServices) => current.lasting.pool.stats.servers.map(({ name }) => name);

describe('a reload', () => {
  test.each<[string, Partial<Setup>]>([
    ['the servers', { servers: { one: server('one'), two: server('two') } }],
    ['the policy', { config: { ...setup.config, policy: { ceiling: [] } } }],
    ['the clients', { config: { ...setup.config, http: { port: 4444 } } }],
    ['limits', { config: { ...setup.config, security: { maxTimeoutMs: 40_000 } } }],
    ['nothing', {}],
  ])('of %s keeps connections, tool lists and the record', async (_what, change) => {
    const services = await open();
    const before = services.current.lasting;
    services.reload({ ...setup, ...change });
    expect(services.current.lasting).toBe(before);
    expect(names(services)).toEqual(Object.keys(change.servers ?? setup.servers));
  });

  test.each<[string, Setup['config']]>([
    ['how servers are connected', { ...setup.config, pool: { maxConcurrent: 7 } }],
    ['what is known of their tools', { ...setup.config, schemaCache: { ttlMs: 5000 } }],
    ['the record', { ...setup.config, audit: { enabled: false, retentionDays: 3 } }],
  ])('of %s begins anew', async (_what, config) => {
    const services = await open();
    const before = services.current.lasting;
    services.reload({ ...setup, config });
    expect(services.current.lasting).not.toBe(before);
    expect(names(services)).toEqual(['one']);
  });

  test('makes other executors only where that counts for executions', async () => {
    const services = await open();
    const { executor } = services.current;
    services.reload({ ...setup, servers: {} });
    services.reload({ ...setup, config: { ...setup.config, http: { port: 4444 } } });
    expect(services.current.executor).toBe(executor);
    services.reload({ ...setup, config: { ...setup.config, security: { maxTimeoutMs: 40_000 } } });
    expect(services.current.executor).not.toBe(executor);
  });

  test('is on record, as is one that is refused, and what comes first and last', async () => {
    const services = await open();
    services.reload({ ...setup, servers: {} });
    services.refuse();
    await services.close(0);
    services.reload(setup);
    expect(told.map(({ type, action, status }) => [type, action, status])).toEqual([
      ['lifecycle', 'started', 'success'],
      ['config', 'reloaded', 'success'],
      ['config', 'refused', 'rejected'],
      ['lifecycle', 'stopped', 'success'],
    ]);
  });
});
