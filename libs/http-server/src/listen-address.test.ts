import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';

import { afterEach, describe, expect, test } from '@jest/globals';

import { type HttpServer, startHttpServer } from './index.js';
import { programs } from './routes.test.kit.js';

const groups = [programs([{ method: 'GET', path: '/', handle: () => ({ body: 'here' }) }])];
const clients = { ci: createHash('sha256').update('ci token').digest('hex') };

let server: HttpServer | undefined;
afterEach(async () => {
  await server?.close();
  server = undefined;
});

/** The status for a request over the loopback address that names this Host. */
async function statusFor({ url }: HttpServer, host: string): Promise<number | undefined> {
  const headers = { host, authorization: 'Bearer ci token' };
  const asked = request({ host: '127.0.0.1', port: new URL(url).port, headers }).end();
  const [answer] = (await once(asked, 'response')) as [IncomingMessage];
  answer.resume();
  return answer.statusCode;
}

describe('an address that other machines reach', () => {
  test('is refused if every program may call', async () => {
    const started = startHttpServer(groups, { host: '0.0.0.0', hostNames: ['box.example'], clients: false });
    await expect(started).rejects.toMatchObject({
      code: 'invalid_argument',
      message:
        'Other machines can reach host "0.0.0.0"; listen there only if clients need tokens, or use 127.0.0.1, ::1 or localhost.',
    });
  });

  test('is refused without names of the host', async () => {
    await expect(startHttpServer(groups, { host: '::', clients })).rejects.toMatchObject({
      code: 'invalid_argument',
      message:
        'Other machines can reach host "::"; listen there only if hostNames says which names clients use in Host, or use 127.0.0.1, ::1 or localhost.',
    });
  });

  test('is served with tokens to clients that name the host, with any port or none', async () => {
    server = await startHttpServer(groups, {
      host: '0.0.0.0',
      hostNames: ['Box.example', 'fd00::5', '10.0.0.5'],
      clients,
    });
    expect(server.url).toMatch(/^http:\/\/0\.0\.0\.0:\d+$/);
    for (const host of ['box.example', 'BOX.EXAMPLE:8080', '[fd00::5]', '[fd00::5]:1', '10.0.0.5:443']) {
      expect([host, await statusFor(server, host)]).toEqual([host, 200]);
    }
    for (const host of [
      ...['', 'other.example', 'box.example.', 'box.example.evil.example', 'a.box.example'],
      ...['box.example:', 'box.example:port', 'box.example:123456', 'user@box.example', 'box.example:1:2'],
      ...['127.0.0.1', `127.0.0.1:${new URL(server.url).port}`, 'localhost', 'fd00::5', '[::1]'],
    ]) {
      expect([host, await statusFor(server, host)]).toEqual([host, 421]);
    }
  });
});

test('names of the host replace the loopback address', async () => {
  server = await startHttpServer(groups, { hostNames: ['box.example'], clients });
  expect(await statusFor(server, 'box.example')).toBe(200);
  expect(await statusFor(server, new URL(server.url).host)).toBe(421);
});

test('refuses an empty list of names', async () => {
  await expect(startHttpServer(groups, { hostNames: [] })).rejects.toMatchObject({
    code: 'invalid_argument',
    message: 'hostNames is empty; name a host, or leave it out.',
  });
});

test.each([
  '',
  'box.example:80',
  'http://box.example',
  '*.example',
  'a b',
  '.example',
  'box.example/',
  '[::1',
])('refuses %j as the name of a host', async (name) => {
  await expect(startHttpServer(groups, { hostNames: [name] })).rejects.toMatchObject({
    code: 'invalid_argument',
    message: `${JSON.stringify(name)} is not a host name; give a name such as "box.example" or an address, without a port.`,
  });
});
