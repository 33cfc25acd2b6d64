import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

import { expect } from '@jest/globals';

import { StartedServer, withServer } from '../server-under-test/started-server.js';
import { alone } from './effect-check.js';
import { inTurn, noSpares, up } from './upstream.js';

/** The outcome of one call with this hook: a result, or a code and a message. */
async function outcomeWith(hook: object): Promise<unknown> {
  const config = {
    mcpServers: up,
    policy: { defaultAllowedTools: ['up'], hook },
    sandbox: { spares: noSpares },
  };
  const start = StartedServer.start({ '.code-executor.json': JSON.stringify(config) });
  return withServer(start, async (server) => {
    const { result } = await server.run(inTurn(['tell']));
    return (result as unknown[])[0];
  });
}

/** The same with a service that shows the header `x-rule` that it got as its reason. */
async function outcomeOfService(headers?: Record<string, string>): Promise<unknown> {
  const service = createServer((request, response) => {
    response.end(JSON.stringify({ decision: 'deny', reason: `rule ${String(request.headers['x-rule'])}` }));
  });
  service.listen(0, '127.0.0.1');
  await once(service, 'listening');
  try {
    const url = `http://127.0.0.1:${(service.address() as AddressInfo).port}`;
    return await outcomeWith({ url, ...(headers && { headers }) });
  } finally {
    service.closeAllConnections();
    service.close();
  }
}

const script = (code: string) => [process.execPath, '-e', code];
const refused = (reason: string) => ['permission_denied', expect.stringContaining(reason), null];
const hanging = { command: script('setInterval(() => {}, 1000)'), timeoutMs: 300 };

/** Checks of the keys of `policy.hook`, each with a server of its own. */
export const hookChecks = [
  alone({
    'policy.hook.command': async () => {
      const command = script(`console.log('{"decision":"deny","reason":"by command"}')`);
      expect(await outcomeWith({ command })).toEqual(refused('by command'));
    },
    'policy.hook.url': async () => expect(await outcomeOfService()).toEqual(refused('rule undefined')),
    'policy.hook.headers': async () =>
      expect(await outcomeOfService({ 'X-Rule': '7' })).toEqual(refused('rule 7')),
    'policy.hook.timeoutMs': async () =>
      expect(await outcomeWith(hanging)).toEqual([
        'unavailable',
        expect.stringContaining('gave no verdict'),
        null,
      ]),
  }),
];
