/**
 * `node still-works.mjs python strict portable`: checks that the built product runs a program in this language in each
 * of these modes; if not, prints the problem and exits with 1. No attack can get through if no program runs.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';

import { root } from '../run.mjs';

const programs = {
  typescript: { name: 'executeTypescript', code: 'return 6 * 7' },
  python: { name: 'executePython', code: '6 * 7' },
};
const [language, ...modes] = process.argv.slice(2);
const { name, code } = programs[language];

for (const mode of modes) {
  const problem = await whyItDoesNotWork(mode);
  if (problem === undefined) continue;
  process.stdout.write(`${mode}: ${problem}\n`);
  process.exitCode = 1;
}

async function whyItDoesNotWork(mode) {
  const home = await mkdtemp(join(tmpdir(), 'still-works-'));
  const client = new Client({ name: 'still-works', version: '0' });
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [join(root, 'apps/mcp-server/bin/code-executor-mcp.js')],
    cwd: home,
    env: { PATH: process.env.PATH, HOME: home, CODE_EXECUTOR_ISOLATION: mode },
    stderr: 'ignore',
  });
  try {
    await client.connect(transport);
    const program = { name, arguments: { code, timeoutMs: 60_000 } };
    const { structuredContent: report } = await client.callTool(program, undefined, { timeout: 90_000 });
    return report.result === 42 ? undefined : (report.error ?? 'The program had no value.');
  } catch (error) {
    return error.message;
  } finally {
    await client.close();
    // Retried, because the client does not wait until the server has ended.
    await rm(home, { recursive: true, force: true, maxRetries: 10 });
  }
}
