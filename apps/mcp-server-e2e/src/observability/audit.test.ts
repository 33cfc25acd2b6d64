import { readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import type { AuditRecord } from '@code-executor/contracts';
import { afterEach, describe, expect, test } from '@jest/globals';

import { createHome, removeHome } from '../server-under-test/home.js';
import { StartedServer } from '../server-under-test/started-server.js';
import { problemOf } from '../settings/start.js';
import { atOnce, inTurn, upstream } from '../settings/upstream.js';
import { realServer } from '../upstream-servers/entries.js';

const mcpServers = { everything: realServer('everything', 'stdio') };
const secret = 'sum-4711';

let home: string;
let server: StartedServer | undefined;
afterEach(async () => {
  await server?.close();
  server = undefined;
  await removeHome(home);
});

async function start(
  audit: object,
  env: Record<string, string> = {},
  config: object = {},
): Promise<StartedServer> {
  home = await createHome({
    '.code-executor.json': JSON.stringify({
      mcpServers,
      audit,
      sandbox: { spares: { typescript: 0, python: 0 } },
      ...config,
    }),
  });
  return (server = await StartedServer.start(
    {},
    { CODE_EXECUTOR_HOME: join(home, 'product'), ...env },
    home,
  ));
}

async function recordsOf(folder: string): Promise<AuditRecord[]> {
  const files = (await readdir(folder)).sort();
  const texts = await Promise.all(files.map((name) => readFile(join(folder, name), 'utf8')));
  return texts.flatMap((text) =>
    text
      .split('\n')
      .slice(0, -1)
      .map((line) => JSON.parse(line) as AuditRecord),
  );
}

const isWritten = async (path: string) => (await stat(path).catch(() => undefined)) !== undefined;

describe('the audit log of the server', () => {
  test('contains what was run, called and denied, nothing before that, and no plaintext', async () => {
    const { client } = await start({});
    const folder = join(home, 'product', 'audit-logs');
    expect(await isWritten(join(home, 'product'))).toBe(false);
    const code = `
      await callMCPTool('mcp__everything__echo', { message: '${secret}' });
      for (const name of ['mcp__everything__get-sum', 'mcp__everything__get-env']) {
        await callMCPTool(name, { a: 1, b: 2 }).catch(() => undefined);
      }
      return '${secret}';`;
    const args = { code, allowedTools: ['mcp__everything__echo'] };
    const { structuredContent } = await client.callTool({ name: 'executeTypescript', arguments: args });
    const { executionId, success } = structuredContent as { executionId: string; success: boolean };
    expect(success).toBe(true);
    const records = await recordsOf(folder);
    const recorded = records.map(({ type, status, toolName }) => [type, status, toolName]);
    // The tools are listed and pinned beside the run.
    expect(recorded.filter(([type]) => type !== 'discovery' && type !== 'pinning')).toEqual([
      ['lifecycle', 'success', undefined],
      ['tool_call', 'success', 'mcp__everything__echo'],
      ['denial', 'rejected', 'mcp__everything__get-sum'],
      ['denial', 'rejected', 'mcp__everything__get-env'],
      ['execution', 'success', undefined],
    ]);
    // Nobody's call caused these.
    const caused = records.filter(({ type }) => type !== 'lifecycle' && type !== 'pinning');
    expect(new Set(caused.map((record) => record.executionId))).toEqual(new Set([executionId]));
    expect(new Set(caused.map(({ correlationId }) => correlationId)).size).toBe(1);
    expect(new Set(caused.map(({ clientKind, clientId }) => [clientKind, clientId].join()))).toEqual(
      new Set(['stdio,stdio']),
    );
    expect(JSON.stringify(records)).not.toContain(secret);
    const health = await client.callTool({ name: 'health', arguments: {} });
    expect(health.structuredContent).toMatchObject({ auditLog: { enabled: true } });
    const [file = ''] = await readdir(folder);
    expect(file).toMatch(/^audit-\d{4}-\d\d-\d\d\.jsonl$/);
    expect((await stat(join(folder, file))).mode & 0o777).toBe(0o600);
  });

  test('names the execution whose calls were refused by a full queue, or opened a circuit', async () => {
    const { client } = await start(
      {},
      {},
      {
        mcpServers: { up: upstream() },
        pool: { maxConcurrent: 1, maxQueued: 1, failureThreshold: 1 },
      },
    );
    const idsOf = async (code: string) => {
      const args = { code, allowedTools: ['up'] };
      const { structuredContent } = await client.callTool({ name: 'executeTypescript', arguments: args });
      const { executionId } = structuredContent as { executionId: string };
      const records = await recordsOf(join(home, 'product', 'audit-logs'));
      const own = records.filter((record) => record.executionId === executionId);
      const correlationId = own.find(({ type }) => type === 'execution')?.correlationId;
      expect(correlationId).toMatch(/^[0-9a-f]{32}$/);
      return own
        .filter((record) => record.correlationId === correlationId)
        .map(({ type, action }) => [type, action]);
    };
    expect(await idsOf(atOnce(['wait', { ms: 1000 }], ['tell'], ['give']))).toContainEqual(['queue', 'full']);
    expect(await idsOf(inTurn(['die']))).toContainEqual(['circuit', 'opened']);
  });

  test('is not written with ENABLE_AUDIT_LOG=false, and is written to AUDIT_LOG_PATH', async () => {
    const off = await start({}, { ENABLE_AUDIT_LOG: 'false' });
    expect(await off.run('return 1')).toMatchObject({ success: true });
    expect((await off.call('health', {})).structured).toMatchObject({ auditLog: { enabled: false } });
    expect(await isWritten(join(home, 'product', 'audit-logs'))).toBe(false);
    await off.close();
    const elsewhere = await start({}, { AUDIT_LOG_PATH: 'records.jsonl' });
    expect(await elsewhere.run('return 1')).toMatchObject({ success: true });
    // The start of the server, the execution, and nothing after the last line break.
    expect((await readFile(join(home, 'records.jsonl'), 'utf8')).split('\n')).toHaveLength(3);
  });

  test('prevents the start if its path cannot be a file', async () => {
    expect(await problemOf({ audit: { path: '/proc/nope' } })).toContain(
      'audit.path is on a file system of the kernel, which keeps no files; choose another folder.',
    );
  });

  test('does not stop programs if it cannot be written, and says so once', async () => {
    const running = await start({ path: 'taken' });
    await writeFile(join(home, 'taken'), '');
    expect(await running.run('return 1')).toMatchObject({ success: true, result: 1 });
    expect(await running.run('return 2')).toMatchObject({ success: true, result: 2 });
    expect(running.stderr.split('The audit log has a gap.')).toHaveLength(2);
  });

  test('stops all programs if it is required and cannot be written', async () => {
    const running = await start({ path: 'taken', required: true });
    await writeFile(join(home, 'taken'), '');
    const { success, errorCode, error } = await running.run('return 1');
    expect({ success, errorCode }).toEqual({ success: false, errorCode: 'failed_precondition' });
    expect(error).toMatch(
      /^Nothing is done without an audit record \(audit\.required\)\. The record was not written to audit-[\d-]+\.jsonl: its folder is a file; see to that place, or choose another\.$/,
    );
    await rm(join(home, 'taken'));
    expect(await running.run('return 1')).toMatchObject({ success: true });
    const records = await recordsOf(join(home, 'taken'));
    expect(records.map(({ type, action, status }) => [type, action, status])).toEqual([
      ['execution', 'started', 'success'],
      ['execution', undefined, 'success'],
    ]);
  });
});
