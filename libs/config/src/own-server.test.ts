import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';

import { findServers } from './find-servers.js';

let cwd: string;
beforeAll(async () => {
  cwd = await mkdtemp(join(tmpdir(), 'own-'));
  await mkdir(join(cwd, 'bin'));
  await writeFile(join(cwd, 'bin', 'code-executor-mcp.js'), '');
  await writeFile(join(cwd, 'bin', 'renamed.js'), '');
  for (const folder of ['dist', 'fixtures', 'src']) await mkdir(join(cwd, folder));
  for (const file of ['dist/main.js', 'fixtures/tools.js', 'src/server.mjs'])
    await writeFile(join(cwd, file), '');
  await symlink('bin/code-executor-mcp.js', join(cwd, 'alias'));
  await symlink('bin/renamed.js', join(cwd, 'alias-of-bin'));
});
afterAll(() => rm(cwd, { recursive: true, force: true }));

async function isLeftOut(line: string, entry: object = {}): Promise<boolean> {
  // A part in double quotes is one argument.
  const [command, ...args] = (line.match(/"[^"]*"|\S+/g) ?? []).map((word) => word.replaceAll('"', ''));
  const env = { HERE: cwd };
  await writeFile(
    join(cwd, '.claude.json'),
    JSON.stringify({ mcpServers: { tools: { command, args, ...entry } } }),
  );
  const ownBin = join(cwd, 'bin', 'renamed.js');
  const { servers, warnings } = await findServers({ cwd, home: cwd, env, ownBin });
  expect(warnings).toEqual([]);
  return !('tools' in servers);
}

describe('findServers', () => {
  test.each([
    'code-executor-mcp',
    'code-executor-mcp --config x.json',
    '/usr/local/bin/code-executor-mcp',
    'C:\\npm\\code-executor-mcp.cmd --http',
    './node_modules/.bin/code-executor-mcp',
    'npx code-executor-mcp',
    'npx -y @code-executor/mcp-server',
    'npx -y @code-executor/mcp-server@1.2.3 --http',
    'npx -p @code-executor/mcp-server code-executor-mcp',
    'npx -y code-executor-mcp@1.2.3 --config x.json',
    'npx --yes --registry https://r.example code-executor-mcp@latest',
    'npx -p code-executor-mcp code-executor-mcp',
    'npx.cmd -y code-executor-mcp',
    'cmd /c npx -y code-executor-mcp',
    'npm exec --yes -- code-executor-mcp@next',
    'npm x code-executor-mcp',
    'pnpm dlx code-executor-mcp',
    'pnpx code-executor-mcp',
    'yarn dlx code-executor-mcp',
    'bunx code-executor-mcp@1',
    'bun x code-executor-mcp',
    'node /opt/app/bin/code-executor-mcp.js',
    'node --enable-source-maps --import tsx ./bin/code-executor-mcp.js',
    '/usr/bin/node ${HERE}/bin/code-executor-mcp.js',
    'bun run bin/code-executor-mcp.js',
    'node bin/renamed.js',
    './bin/renamed.js',
    './alias',
    'node alias',
    './alias-of-bin',
    '${HERE}/alias-of-bin',
    '/usr/bin/env node /opt/app/bin/code-executor-mcp.js',
    '/usr/bin/env node ${HERE}/bin/renamed.js',
    'env FOO=1 node bin/renamed.js',
    'env -i -u BAR FOO=1 npx -y code-executor-mcp',
    'env -S "node bin/renamed.js"',
    'node ${HERE}/dist/main.js',
    'node ${HERE}',
    'node .',
    'npx ${HERE}',
    'npx -y ${HERE}/.',
    'node --env-file .env bin/renamed.js',
    'node --env-file .env /opt/app/bin/code-executor-mcp.js',
    'node --conditions x /opt/app/bin/code-executor-mcp.js',
    'node --some-new-option x bin/renamed.js',
    'npx -y tsx bin/renamed.js',
    'npx -y tsx /opt/app/bin/code-executor-mcp.js',
    'nice -n 5 node dist/main.js',
    'sh -c "node bin/renamed.js"',
    'sh -c "cd /tmp && FOO=1 exec node ${HERE}/bin/renamed.js --http"',
    'bash -c "node \'${HERE}/dist/main.js\'"',
    'bash -c "npx -y code-executor-mcp"',
    '/bin/bash -lc "npx -y code-executor-mcp@latest; true"',
    'env FOO=1 sh -c "exec env BAR=2 node bin/renamed.js"',
  ])('leaves out our own server, started by %j', async (line) => {
    expect(await isLeftOut(line)).toBe(true);
  });

  test('leaves out our own server, started from its folder', async () => {
    expect(await isLeftOut('node renamed.js', { cwd: 'bin' })).toBe(true);
  });

  test.each([
    'code-executor',
    'code-executor-mcp-proxy',
    'npx -y code-executor-mcp-proxy',
    'npx -y @code-executor/mcp-server-proxy',
    'npx -y @other/code-executor-mcp',
    'npx -y other-server code-executor-mcp',
    'npx -y @modelcontextprotocol/server-filesystem /home/a/code-executor-mcp',
    'npm run code-executor-mcp',
    'npm install code-executor-mcp',
    'node server.js code-executor-mcp.js',
    'node bin/missing.js',
    'python -m code_executor_mcp',
    './missing',
    'node fixtures/tools.js',
    'node src/server.mjs',
    'npx -y @modelcontextprotocol/server-filesystem ${HERE}',
    'npx -y @modelcontextprotocol/server-filesystem .',
    'env FOO=1 node fixtures/tools.js',
    'env FOO=code-executor-mcp node fixtures/tools.js',
    'sh -c "echo code-executor-mcp && node fixtures/tools.js"',
    'bash fixtures/start.sh -x',
    'sh -c',
    'env',
    'npx',
    'node',
    'cmd',
  ])('keeps the server started by %j', async (line) => {
    expect(await isLeftOut(line)).toBe(false);
  });

  test('keeps another server with our name', async () => {
    const config = {
      mcpServers: { 'code-executor': { command: 'x' }, 'code-executor-mcp': { url: 'http://x/' } },
    };
    await writeFile(join(cwd, '.claude.json'), JSON.stringify({ mcpServers: {} }));
    const { servers } = await findServers({ cwd, home: cwd, env: {}, config });
    expect(Object.keys(servers)).toEqual(['code-executor', 'code-executor-mcp']);
  });

  test('leaves out our own server in the configuration, too', async () => {
    const config = { mcpServers: { me: { command: 'npx', args: ['code-executor-mcp'] } } };
    expect((await findServers({ cwd, home: cwd, env: {}, config })).servers).not.toHaveProperty('me');
  });
});
