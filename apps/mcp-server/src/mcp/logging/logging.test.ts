import { afterEach, describe, expect, test } from '@jest/globals';

import { connectClient } from '../connect-client.test.support.js';
import { asking, askingServer } from '../questions/asking-server.test.support.js';
import { RawConnection } from '../raw-connection.test.support.js';

/** Prints these, and goes on when each was seen or its time is over. */
const printing = (...chunks: [stream: 'stdout' | 'stderr', text: string][]) =>
  askingServer(async ({ onOutput }) => {
    for (const [stream, text] of chunks) onOutput?.({ stream, text });
    for (let turn = 0; turn < 20; turn++) await new Promise(setImmediate);
    return {};
  });

let close: () => Promise<void> = () => Promise.resolve();
afterEach(() => close());

/** The log messages of one call. */
async function logged(server: ReturnType<typeof printing>, level?: string) {
  const connection = await new RawConnection(server).start();
  close = () => connection.close();
  await connection.ask('tools/call', asking, level ? { 'io.modelcontextprotocol/logLevel': level } : {});
  return connection.notifications.map(({ method, params }) => ({ method, ...params }));
}

describe('what a program prints while it runs', () => {
  test('is sent at the level of its stream, with the id of the execution', async () => {
    expect(await logged(printing(['stdout', 'a\nb\n']), 'debug')).toEqual([
      {
        method: 'notifications/message',
        level: 'info',
        logger: expect.stringMatching(/^exec_/) as unknown,
        data: 'a\nb',
      },
    ]);
    expect(await logged(printing(['stdout', 'a\n'], ['stderr', 'b\n']), 'info')).toMatchObject([
      { level: 'warning', data: 'a\nb' },
    ]);
  });

  test.each([
    ['info', 'out\nerr'],
    ['notice', 'err'],
    ['warning', 'err'],
  ])('is sent from the level %s on', async (level, data) => {
    const server = printing(['stdout', 'out\n'], ['stderr', 'err\n']);
    expect(await logged(server, level)).toMatchObject([{ level: 'warning', data }]);
  });

  test('is sent to its end before the call is answered', async () => {
    const server = askingServer(async ({ onOutput }) => {
      onOutput?.({ stream: 'stdout', text: 'first\n' });
      for (let turn = 0; turn < 20; turn++) await new Promise(setImmediate);
      onOutput?.({ stream: 'stdout', text: 'last\n' });
      return {};
    });
    expect((await logged(server, 'info')).map((message) => (message as { data?: string }).data)).toEqual([
      'first',
      'last',
    ]);
  });

  test.each([undefined, 'error', 'emergency'])('is not sent with the level %s', async (level) => {
    expect(await logged(printing(['stdout', 'out\n'], ['stderr', 'err\n']), level)).toEqual([]);
  });

  test('is cut to its last 4,000 characters, without control characters', async () => {
    const [message] = await logged(printing(['stdout', `${'x'.repeat(5000)}\u001b[2J`]), 'info');
    expect(message).toMatchObject({
      data: expect.stringMatching(/^\(1004 characters before this\) …x{3996}�\[2J$/) as unknown,
    });
  });

  test('is sent to a client up to 2025-11-25 after logging/setLevel, and not before', async () => {
    const client = await connectClient(printing(['stdout', 'out\n']));
    close = () => client.close();
    const messages: unknown[] = [];
    client.setNotificationHandler('notifications/message', ({ params }) => void messages.push(params));
    await client.callTool(asking);
    expect(messages).toEqual([]);
    await client.request({ method: 'logging/setLevel', params: { level: 'info' } });
    await client.callTool(asking);
    expect(messages).toMatchObject([{ level: 'info', data: 'out' }]);
    await client.request({ method: 'logging/setLevel', params: { level: 'error' } });
    await client.callTool(asking);
    expect(messages).toHaveLength(1);
  });
});
