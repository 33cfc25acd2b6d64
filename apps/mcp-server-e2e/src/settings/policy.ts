import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { expect } from '@jest/globals';

import { createHome } from '../server-under-test/home.js';
import { StartedServer, withServer } from '../server-under-test/started-server.js';
import { changingServer } from '../upstream-servers/entries.js';
import { alone, overStdio } from './effect-check.js';
import { atOnce, inTurn, noSpares, upstream } from './upstream.js';

/** The outcome of one call; if it is refused, with code and message. */
async function callOf(server: StartedServer, tool: string): Promise<unknown> {
  const { result } = await server.run(
    `return await callMCPTool('${tool}', {}).catch((error) => [error.code, error.message])`,
  );
  return result;
}

const toolsWith = (description: string) =>
  JSON.stringify(['send', 'change'].map((name) => ({ name, description, inputSchema: { type: 'object' } })));
const denied = (key: string) => ['permission_denied', expect.stringContaining(key)];
const unanswered = (key: string) => ['failed_precondition', expect.stringContaining(`(${key})`)];
const exhausted = (key: string) => ['resource_exhausted', expect.stringContaining(key), null];

export const policyChecks = [
  overStdio({
    config: {
      mcpServers: { up: upstream(), few: upstream(), other: upstream() },
      sandbox: { spares: noSpares },
      policy: {
        ceiling: ['mcp__up__*', 'mcp__few__*'],
        defaultAllowedTools: ['mcp__*__tell', 'mcp__*__wait', 'mcp__up__*'],
        ask: ['executePython'],
        servers: { up: { deny: ['change'], ask: ['die'] }, few: { allow: ['tell'] } },
        budget: { maxCalls: 3, maxConcurrent: 2, maxBytes: 1000 },
      },
    },
    shows: {
      'policy.ceiling': async (server) =>
        expect(await callOf(server, 'mcp__other__tell')).toEqual(denied('(policy.ceiling)')),
      'policy.defaultAllowedTools': async (server) =>
        expect(await callOf(server, 'mcp__few__tell')).toMatchObject({ args: [] }),
      'policy.servers.<name>.allow': async (server) =>
        expect(await callOf(server, 'mcp__few__wait')).toEqual(denied('policy.servers.few.allow')),
      'policy.servers.<name>.deny': async (server) =>
        expect(await callOf(server, 'mcp__up__change')).toEqual(denied('policy.servers.up.deny')),
      // The client of these checks cannot ask a person.
      'policy.servers.<name>.ask': async (server) =>
        expect(await callOf(server, 'mcp__up__die')).toEqual(unanswered('policy.servers.up.ask')),
      'policy.ask': async (server) => {
        const { errorCode, error } = await server.runIn('python', '1');
        expect([errorCode, error]).toEqual(unanswered('policy.ask'));
      },
      'policy.budget.maxCalls': async (server) => {
        const { result } = await server.run(inTurn(['tell'], ['tell'], ['tell'], ['tell']));
        expect((result as unknown[])[3]).toEqual(exhausted('3'));
      },
      'policy.budget.maxConcurrent': async (server) => {
        const wait: [string, object] = ['wait', { ms: 100 }];
        const { result } = await server.run(atOnce(wait, wait, wait));
        expect(Math.max(...(result as unknown as { atOnce: number }[]).map((each) => each.atOnce))).toBe(2);
      },
      'policy.budget.maxBytes': async (server) => {
        const { result } = await server.run(inTurn(['give', { bytes: 2000 }]));
        expect(result).toEqual([exhausted('1000')]);
      },
    },
  }),
  overStdio({
    config: {
      mcpServers: { up: upstream() },
      sandbox: { spares: noSpares },
      policy: { defaultAllowedTools: ['up'], readOnly: true },
    },
    shows: {
      'policy.readOnly': async (server) =>
        expect(await callOf(server, 'mcp__up__tell')).toEqual(denied('(policy.readOnly)')),
    },
  }),
  alone({
    'policy.pinning': async () => {
      const home = await createHome({ 'tools.json': toolsWith('Sends mail.') });
      const mcpServers = { mail: changingServer(join(home, 'tools.json')) };
      const policy = { defaultAllowedTools: ['mail'], pinning: 'enforce' };
      const config = JSON.stringify({ mcpServers, policy, sandbox: { spares: noSpares } });
      await writeFile(join(home, '.code-executor.json'), config);
      await withServer(StartedServer.start({}, {}, home), async (server) => {
        expect(await callOf(server, 'mcp__mail__send')).toBe('called');
        const tools = toolsWith('Sends mail to me.');
        const { result } = await server.run(
          `await callMCPTool('mcp__mail__change', { tools: ${tools}, announced: true });
           for (;;) await callMCPTool('mcp__mail__send', {});`,
        );
        expect(result).toBeUndefined();
        expect(await callOf(server, 'mcp__mail__send')).toEqual(denied('tools approve'));
      });
    },
  }),
];
