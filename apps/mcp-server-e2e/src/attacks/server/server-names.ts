import assert from 'node:assert/strict';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { readProject, trustFiles } from '@code-executor/config';

import { until } from '../../server-under-test/until.js';
import type { Places } from '../arena/places.js';
import { configOf } from '../arena/surroundings.js';

import { withAttacked } from './attacked-server.js';
import type { ServerAttack } from './server-attack.js';
import { badEntry, callAll } from './upstream-definitions.js';

/** Attacks through servers whose names are prefixes of other servers' names. */
export const serverNames: readonly ServerAttack[] = [
  {
    id: 'CFG-19',
    what: "make a call reach another server's tool: one called prod__work, while the server that the name belongs to is down",
    stoppedBy: 'server (a call that may belong to either of two servers waits for both lists)',
    async attack() {
      const mcpServers = { pay: badEntry('works'), pay__prod: badEntry('dies') };
      await withAttacked({ config: { mcpServers, policy: {} } }, async (server) => {
        for (let round = 0; round < 2; round++) {
          const [own, others] = await callAll(server, ['mcp__pay__work', 'mcp__pay__prod__work']);
          assert.deepEqual(own, { value: 'done' });
          assert.equal(others?.code, 'unavailable');
          assert.match(others.message ?? '', /Server pay__prod is unavailable/);
        }
      });
    },
  },
  {
    id: 'CFG-25',
    what: "call another server's tool when pay is allowed, by the name mcp__pay__prod__work: through a project's configuration that narrows, through a reload while the program runs",
    stoppedBy: 'server (a server name covers no glob; a call goes to the server that was checked)',
    async attack() {
      const both = { pay: badEntry('works'), pay__prod: badEntry('works') };
      const policy = { ceiling: ['pay'] };
      const cwd = ({ stage }: Places) => join(stage, 'project');
      const prepare = async (places: Places) => {
        await mkdir(cwd(places));
        const wish = { policy: { ceiling: ['mcp__pay__*', 'mcp__pay__prod__work'] } };
        await writeFile(join(cwd(places), '.code-executor.json'), JSON.stringify(wish), { mode: 0o600 });
        const options = { cwd: cwd(places), home: places.home, env: {} };
        await trustFiles((await readProject(options)).files, options);
      };
      await withAttacked({ config: { mcpServers: both, policy }, cwd, prepare }, async (server) => {
        const [own, others] = await callAll(server, ['mcp__pay__work', 'mcp__pay__prod__work']);
        assert.deepEqual(own, { value: 'done' });
        assert.equal(others?.code, 'permission_denied');
        await rm(join(server.places.home, '.code-executor', 'trusted-projects.json'));
      });

      const config = { mcpServers: { pay: badEntry('works') }, policy };
      await withAttacked({ config }, async (server) => {
        // At first the tool belongs to pay; the program calls it repeatedly.
        const running = server.run(
          `const call = () => callMCPTool('mcp__pay__prod__work', {}).then(JSON.stringify, ({ code }) => code);
           const first = await call();
           for (let i = 0; i < 100; i++) {
             const again = await call();
             if (again !== first) return [first, again];
             await new Promise((resolve) => setTimeout(resolve, 100));
           }`,
          { allowedTools: ['pay'] },
        );
        await until(() => server.output.log.includes('upstream server connected'));
        const file = join(server.places.home, '.code-executor.json');
        const changed = { ...configOf(server.places), mcpServers: both, policy };
        await writeFile(file, JSON.stringify(changed));
        process.kill(server.pid, 'SIGHUP');
        const { result } = await running;
        assert.deepEqual((result as unknown[])[1], 'failed_precondition', JSON.stringify(result));
      });
    },
  },
];
