import { once } from 'node:events';
import { Agent, type IncomingMessage, request } from 'node:http';
import { connect } from 'node:net';
import { describe, expect, test } from '@jest/globals';
import { type Route, startHttpServer } from './index.js';
import { programs } from './routes.test.kit.js';
import { routes, start, post, errorOf } from './test-server.test.support.js';

describe('startHttpServer', () => {
  test('serves a client that has the token, on a loopback address', async () => {
    const started = await start();
    expect(started.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
    expect(Buffer.from(started.token, 'base64url')).toHaveLength(32);
    const answer = await post(started, '{"a":1}');
    expect([answer.status, await answer.json()]).toEqual([200, { body: { a: 1 } }]);
    const other = await startHttpServer([programs(routes)]);
    expect(other.token).not.toBe(started.token);
    await other.close();
  });

  test('uses the token and the port that the options name', async () => {
    const first = await start();
    await first.close();
    const { url } = first;
    const again = await start({ token: 'mine', port: Number(new URL(url).port), host: 'localhost' });
    expect(again).toMatchObject({ url, token: 'mine' });
    expect((await post(again, '1')).status).toBe(200);
  });

  test('accepts a body of 1 MB', async () => {
    const body = `"${'x'.repeat(999_998)}"`;
    expect((await post(await start(), body)).status).toBe(200);
  });

  test('closes a connection after its thousandth request', async () => {
    const { url, token } = await start();
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    const connections: unknown[] = [];
    for (let sent = 0; sent < 1001; sent++) {
      const asked = request(url, { agent, headers: { authorization: `Bearer ${token}` } }).end();
      const [answer] = (await once(asked, 'response')) as [IncomingMessage];
      connections.push(answer.headers.connection);
      await once(answer.resume(), 'close');
    }
    agent.destroy();
    expect(connections.indexOf('close')).toBe(999);
    expect(connections[1000]).toBe('keep-alive');
  });

  test('stops reading a body without an end', async () => {
    const started = await start();
    const lines = [`POST /echo HTTP/1.1`, `Host: ${new URL(started.url).host}`, 'Transfer-Encoding: chunked'];
    const headers = ['Content-Type: application/json', `Authorization: Bearer ${started.token}`];
    const socket = connect(Number(new URL(started.url).port), '127.0.0.1');
    socket.on('error', () => undefined);
    let answer = '';
    socket.on('data', (chunk: Buffer) => (answer += chunk.toString()));
    socket.write(`${[...lines, ...headers].join('\r\n')}\r\n\r\n`);
    const chunk = `100000\r\n${'x'.repeat(0x100000)}\r\n`;
    // `once` would fail with the error that writing on gets.
    const closed = new Promise((resolve) => socket.on('close', resolve));
    let sent = 0;
    const send = () => {
      while (!socket.destroyed && sent++ < 200 && socket.write(chunk));
    };
    socket.on('drain', send);
    send();
    await closed;
    expect(answer).toMatch(/^HTTP\/1\.1 413 /);
    expect(sent).toBeLessThan(200);
  });

  test('names the routes with 404, and the methods with 405', async () => {
    const { url, token } = await start();
    const headers = { authorization: `Bearer ${token}` };
    const unknown = await fetch(`${url}/none?q=1`, { headers });
    expect([unknown.status, await errorOf(unknown)]).toEqual([
      404,
      { code: 'not_found', message: 'There is no such path; there is: POST /echo; GET /throw; GET /busy.' },
    ]);
    const wrong = await fetch(`${url}/echo?q=1`, { headers });
    expect([wrong.status, wrong.headers.get('allow'), await errorOf(wrong)]).toEqual([
      405,
      'POST',
      { code: 'invalid_argument', message: 'This path takes only POST.' },
    ]);
    expect((await fetch(`${url}/throw`, { method: 'HEAD', headers })).status).toBe(405);
    const malformed = await fetch(`${url}/%zz`, { headers });
    expect([malformed.status, await errorOf(malformed)]).toMatchObject([400, { code: 'invalid_argument' }]);
  });

  test('answers errors with their code, and keeps the cause of an unexpected one for the log', async () => {
    const logged: unknown[] = [];
    const log = (fields: object) => void logged.push(fields);
    const { url, token } = await start({ logger: { debug: log, info: log, warn: log, error: log } });
    const headers = { authorization: `Bearer ${token}` };
    const busy = await fetch(`${url}/busy`, { headers });
    expect([busy.status, busy.headers.get('retry-after'), await errorOf(busy)]).toEqual([
      503,
      '2',
      { code: 'unavailable', message: 'Busy.', server: 'github', tool: 't', retryAfterMs: 1500 },
    ]);
    expect(logged).toEqual([]);
    const broken = await fetch(`${url}/throw`, { headers });
    expect([broken.status, await errorOf(broken)]).toEqual([
      500,
      { code: 'internal', message: 'An internal error occurred; see the log.' },
    ]);
    expect(logged).toEqual([{ err: new Error('secret') }]);
  });

  test('says that a port is in use', async () => {
    const port = Number(new URL((await start()).url).port);
    await expect(startHttpServer([programs(routes)], { port })).rejects.toMatchObject({
      code: 'failed_precondition',
      message: `Port ${port} of 127.0.0.1 is in use; choose another.`,
    });
  });
});

describe('close', () => {
  /** A route that answers when the test allows it. */
  function held() {
    let answer: () => void = () => undefined;
    const answered = new Promise<void>((resolve) => (answer = resolve));
    let reached: () => void = () => undefined;
    const started = new Promise<void>((resolve) => (reached = resolve));
    const route: Route = {
      method: 'GET',
      path: '/',
      async handle() {
        reached();
        await answered;
        return { body: 'late' };
      },
    };
    return { route, started, answer: () => answer() };
  }

  test('lets running requests end, and asks new ones to come again until then', async () => {
    const { route, started, answer } = held();
    const open = await start({}, [route]);
    const { url, token } = open;
    const headers = { authorization: `Bearer ${token}` };
    const running = fetch(url, { headers });
    await started;
    const closed = open.close();
    const refused = await fetch(url, { headers });
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '30']);
    answer();
    const late = await running;
    expect([await late.text(), late.headers.get('connection')]).toEqual(['late', 'close']);
    await closed;
    await expect(fetch(url, { headers })).rejects.toThrow('fetch failed');
    await open.close();
  });

  test('cuts requests that run for too long', async () => {
    const { route, started } = held();
    const open = await start({ drainMs: 50 }, [route]);
    const { url, token } = open;
    const running = fetch(url, { headers: { authorization: `Bearer ${token}` } });
    const cut = expect(running).rejects.toThrow('fetch failed');
    await started;
    await open.close();
    await cut;
  });
});
