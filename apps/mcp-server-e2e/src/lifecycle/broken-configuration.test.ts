import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { afterEach, expect, test } from '@jest/globals';
import { ToolListChangedNotificationSchema } from '@modelcontextprotocol/sdk/types.js';

import { descendantsOf } from '../server-under-test/processes.js';
import { StartedServer } from '../server-under-test/started-server.js';
import { recordingServer } from '../upstream-servers/entries.js';

let running: StartedServer | undefined;
afterEach(async () => {
  await running?.close();
  running = undefined;
});

test.each([
  ['that is missing', undefined, /File .*config\.json does not exist/],
  ['with no JSON', '{ "security": ', /config\.json: line 1.*not valid JSON/],
  ['with an unknown key', '{ "secrity": {} }', /secrity.*security/],
  ['with a value out of range', '{ "security": { "maxTimeoutMs": 5 } }', /security\.maxTimeoutMs.*5/],
])(
  'a configuration %s is also reported to the client, and the server works once it is fixed',
  async (_what, text, problem) => {
    const files: Record<string, string> = text === undefined ? {} : { 'config.json': text };
    const started = await StartedServer.start(files, { CODE_EXECUTOR_CONFIG_PATH: 'config.json' });
    running = started;
    const { home, client, pid } = started;
    expect(client.getInstructions()).toMatch(problem);
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toEqual(['executeTypescript', 'executePython', 'health']);
    for (const language of ['typescript', 'python'] as const) {
      const report = await started.runIn(language, '1');
      expect(report).toMatchObject({ status: 'failed', errorCode: 'failed_precondition' });
      expect(report.error).toMatch(problem);
    }
    const health = await started.call('health', {});
    expect(health).toMatchObject({ isError: true, structured: { healthy: false } });
    expect(health.structured['error']).toMatch(problem);
    // Nothing was started or stored.
    expect(await descendantsOf(pid)).toEqual([]);
    expect(await readdir(home)).toEqual(Object.keys(files));
    const changed = new Promise<void>((resolve) => {
      client.setNotificationHandler(ToolListChangedNotificationSchema, () => resolve());
    });
    await writeFile(join(home, 'config.json'), '{ "security": { "maxTimeoutMs": 50000 } }');
    await changed;
    expect((await started.run('return 1')).result).toBe(1);
    expect((await started.call('health', {})).structured).toMatchObject({ healthy: true });
  },
);

test('starts with rules for a server that is not configured, and warns about them', async () => {
  const policy = { servers: { nowhere: { deny: ['x'] } } };
  running = await StartedServer.start({ '.code-executor.json': JSON.stringify({ policy }) });
  const warning = 'policy.servers.nowhere counts for nothing here: no server of that name is configured.';
  expect((await running.call('health', {})).structured['warnings']).toEqual([warning]);
  expect(running.stderr).toContain(warning);
});

test.each([
  ['of the configuration', '.code-executor.json'],
  ['of ~/.claude.json', '.claude.json'],
])('leaves out only the broken servers %s, and reports them', async (_where, file) => {
  const mcpServers = {
    good: recordingServer('/dev/null'),
    unset: { command: 'x', env: { TOKEN: 'env:NO_SUCH_VARIABLE' } },
    foreign: { serverUrl: 'https://x.example' },
    wrong: { command: 5 },
    off: { disabled: true, command: 5 },
    'a b': { command: 'x' },
  };
  running = await StartedServer.start({ [file]: JSON.stringify({ mcpServers }) });
  const names = ['unset', 'foreign', 'wrong', '"a b"'];
  const instructions = running.client.getInstructions() ?? '';
  expect(instructions).toContain('Code can call the tools of these MCP servers: good.');
  for (const name of names) expect(instructions).toContain(`${name} (its definition in `);
  const { structured } = await running.call('health', {});
  const servers = structured['servers'] as { name: string; state: string }[];
  expect(servers.map(({ name, state }) => [name, state])).toEqual([
    ['good', 'idle'],
    ...names.map((name) => [name, 'failed']),
  ]);
  const warnings = structured['warnings'] as string[];
  for (const [index, name] of names.entries()) {
    expect(warnings[index]).toContain(`MCP server ${name} in ${running.home}/${file} is left out: `);
    expect(running.stderr).toContain(JSON.stringify(`MCP server ${name} in `).slice(1, -1));
  }
  const report = await running.run(
    `const caught = await callMCPTool('mcp__unset__x', {}).catch(({ message }) => message);
       return [caught, (await discoverMCPTools()).map(({ name }) => name)];`,
    { allowedTools: ['*'] },
  );
  expect(report.result).toEqual([
    expect.stringMatching(/unset.*NO_SUCH_VARIABLE.*not set.*Set that variable/),
    ['mcp__good__note'],
  ]);
  expect(report.unavailableServers?.map(({ server }) => server)).toEqual(expect.arrayContaining(names));
  // Programs and models do not learn paths of this machine.
  expect(JSON.stringify(report) + instructions).not.toContain(running.home);
});

test('writes no argument of a failing upstream server to the log or to any answer', async () => {
  const secrets = ['positional-4711', 'named-4711', 'abc'];
  const script = 'console.error(process.argv.slice(1).join(" ")); process.exit(1)';
  const entry = (command: string, ...args: string[]) => ({
    command,
    args: [...args, secrets[0], '--token', secrets[1], '--pwd', secrets[2]],
  });
  const mcpServers = {
    dies: entry(process.execPath, '-e', script, '--'),
    absent: entry('no-such-command'),
  };
  running = await StartedServer.start({ '.code-executor.json': JSON.stringify({ mcpServers }) });
  const code = `return Promise.all(['dies', 'absent'].map((name) =>
      callMCPTool('mcp__' + name + '__x', {}).catch(({ message }) => message)));`;
  const report = await running.run(code, { allowedTools: ['*'] });
  expect(report.result).toEqual([
    expect.stringContaining('exited with code 1'),
    expect.stringContaining('its command no-such-command was not found'),
  ]);
  const health = await running.call('health', {});
  expect(running.stderr).toContain('"stderr":"*** --token *** --pwd ***"');
  for (const secret of secrets) {
    expect(running.stderr + JSON.stringify([report, health])).not.toMatch(new RegExp(`\\b${secret}\\b`));
  }
});
