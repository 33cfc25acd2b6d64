import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';

import { createHome, removeHome } from '../server-under-test/home.js';
import { enveloped, introduction, RawServer } from './raw-server.js';

const health = { name: 'health', arguments: {} };

describe('the first messages of a client', () => {
  let home: string;
  let server: RawServer;
  beforeEach(async () => {
    home = await createHome({ '.code-executor.json': '{}' });
    server = new RawServer(home);
  });
  afterEach(async () => {
    await server.close();
    await removeHome(home);
  });

  test('server/discover and then initialize goes on in the old era', async () => {
    const discovered = await server.ask('server/discover', enveloped());
    expect(discovered.result).toMatchObject({ supportedVersions: ['2026-07-28'] });
    const initialized = await server.ask('initialize', introduction());
    expect(initialized.result).toMatchObject({ protocolVersion: '2025-11-25' });
    const called = await server.ask('tools/call', health);
    expect(called.result).toMatchObject({ structuredContent: { healthy: true } });
    server.endInput();
    expect(await server.ended).toBe(0);
  });

  test('initialize with a version from the future gets 2025-11-25', async () => {
    const { result } = await server.ask('initialize', introduction('2999-01-01'));
    expect(result).toMatchObject({ protocolVersion: '2025-11-25' });
  });

  test('a request of 2026-07-28 needs no other before it', async () => {
    const { result } = await server.ask('tools/call', enveloped(health));
    expect(result).toMatchObject({ resultType: 'complete', structuredContent: { healthy: true } });
  });

  test('a list of 2026-07-28 says how long it holds, and that it is for this client alone', async () => {
    const { result } = await server.ask('tools/list', enveloped());
    expect(result).toMatchObject({ ttlMs: 60_000, cacheScope: 'private' });
  });

  test.each([
    ['initialize after 2026-07-28', 'initialize', introduction(), -32022],
    ['a request without an envelope after 2026-07-28', 'tools/list', {}, -32602],
    ['ping in 2026-07-28', 'ping', enveloped(), -32601],
    ['logging/setLevel in 2026-07-28', 'logging/setLevel', enveloped({ level: 'info' }), -32601],
    ['a method that nobody knows', 'no/such', enveloped(), -32601],
  ])('%s is refused', async (_name, method, params, code) => {
    await server.ask('tools/list', enveloped());
    expect((await server.ask(method, params)).error?.code).toBe(code);
  });

  test('an unknown version is refused with those that are known', async () => {
    const params = enveloped({}, {}, { 'io.modelcontextprotocol/protocolVersion': '2999-01-01' });
    expect((await server.ask('tools/list', params)).error).toMatchObject({
      code: -32022,
      data: { supported: ['2026-07-28'], requested: '2999-01-01' },
    });
  });

  test.each([
    ['up to 2025-11-25', (params: Record<string, unknown>) => params],
    ['of 2026-07-28', enveloped],
  ])('what runs at the end of stdin is answered, in requests %s', async (_era, withEra) => {
    await server.ask('tools/call', withEra(health));
    const id = server.request(
      'tools/call',
      withEra({ name: 'executeTypescript', arguments: { code: 'return 1' } }),
    );
    server.endInput();
    expect((await server.answerTo(id)).result).toMatchObject({ structuredContent: { result: 1 } });
    expect(await server.ended).toBe(0);
  });

  test('Codex gets no output schemas in 2026-07-28 either', async () => {
    const codex = { 'io.modelcontextprotocol/clientInfo': { name: 'codex-mcp-client', version: '0.169.0' } };
    const { result } = await server.ask('tools/list', enveloped({}, {}, codex));
    for (const tool of result?.['tools'] as object[]) expect(tool).not.toHaveProperty('outputSchema');
  });
});
