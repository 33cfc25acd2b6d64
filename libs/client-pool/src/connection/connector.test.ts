import { silentLogger } from '@code-executor/contracts';
import { expect, test } from '@jest/globals';

import { Connector, type ConnectorOptions } from './connector.js';
import { stdioServer } from '../fixture-servers.test.support.js';

function connectorTo(server: ConnectorOptions['server'], resetTimeoutMs: number) {
  const coolDowns: unknown[] = [];
  const warn = ({ coolDownMs }: { coolDownMs?: number }) =>
    coolDownMs === undefined ? undefined : void coolDowns.push(coolDownMs);
  const connector = new Connector({
    name: 'test',
    server,
    env: {},
    connectTimeoutMs: 20_000,
    resetTimeoutMs,
    logger: { ...silentLogger, warn },
    knownProtocol: () => undefined,
    onProtocolChanged: () => undefined,
    onToolsChanged: () => undefined,
    onLost: () => undefined,
  });
  const fail = async (times: number) => {
    for (let time = 0; time < times; time++) {
      await connector.connect().catch(() => undefined);
      expect(connector.coolDownLeftMs).toBeGreaterThan(0);
      expect(connector.coolDownLeftMs).toBeLessThanOrEqual(Number(coolDowns.at(-1)));
    }
    return coolDowns.splice(0);
  };
  return { connector, fail };
}

test('a server that cannot be connected is left alone for twice as long each time, 30 s at most', async () => {
  const { fail } = connectorTo({ command: '/no/such/command' }, 60_000);
  expect(await fail(6)).toEqual([2000, 4000, 8000, 16_000, 30_000, 30_000]);
});

test('a server that cannot be connected is left alone at most until the circuit lets a call try', async () => {
  const { fail } = connectorTo({ command: '/no/such/command' }, 5000);
  expect(await fail(3)).toEqual([2000, 4000, 5000]);
});

test('the cool-down begins anew once the server was connected and used', async () => {
  const server = { command: '/no/such/command' };
  const { connector, fail } = connectorTo(server, 60_000);
  expect(await fail(2)).toEqual([2000, 4000]);
  Object.assign(server, stdioServer('kit-server.mjs', 'stdio'));
  const connection = await connector.connect();
  connector.succeeded();
  expect([connector.failure, connector.coolDownLeftMs]).toEqual([undefined, 0]);
  const why = connector.giveUp(connection, new Error('its list is none'));
  expect(connector.failure).toBe(why);
  expect(connector.coolDownLeftMs).toBeLessThanOrEqual(2000);
  await connector.close(why);
});
