import { once } from 'node:events';
import { Agent, type IncomingMessage, request } from 'node:http';
import { connect, type Socket } from 'node:net';

import { afterEach, describe, expect, test } from '@jest/globals';

import { type RefusedRequest, startHttpServer, type TokenServer } from './index.js';
import { programs } from './routes.test.kit.js';

const maxConnections = 4;
let answer: () => void = () => undefined;
const groups = [
  programs([
    { method: 'GET', path: '/', handle: () => ({ body: 'here' }) },
    {
      method: 'GET',
      path: '/held',
      handle: () => new Promise((resolve) => (answer = () => resolve({ body: 'late' }))),
    },
  ]),
];

let server: TokenServer;
let refused: RefusedRequest[] = [];
const sockets: Socket[] = [];
const agents: Agent[] = [];
afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
  for (const agent of agents.splice(0)) agent.destroy();
  await server.close();
  refused = [];
});

async function start(): Promise<void> {
  server = await startHttpServer(groups, { maxConnections, onRefused: (each) => refused.push(each) });
}

/** A connection on which the bytes were sent. */
async function halfOpen(bytes = 'GET / HTTP/1.1\r\n'): Promise<Socket> {
  const socket = connect(Number(new URL(server.url).port), '127.0.0.1');
  sockets.push(socket);
  socket.on('error', () => undefined);
  await once(socket, 'connect');
  socket.write(bytes);
  return socket;
}

/** Sends a request on a connection that stays open. */
async function ask(path = '/', agent = keptAgent()): Promise<number | undefined> {
  const headers = { authorization: `Bearer ${server.token}` };
  const asked = request(server.url + path, { agent, headers }).end();
  const [answered] = (await once(asked, 'response')) as [IncomingMessage];
  await once(answered.resume(), 'close');
  return answered.statusCode;
}

function keptAgent(): Agent {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  agents.push(agent);
  return agent;
}

describe('at the limit of connections', () => {
  test('a new connection replaces the oldest one that has sent no whole request', async () => {
    await start();
    const attackers = [];
    for (let n = 0; n < maxConnections; n++) attackers.push(await halfOpen());
    const oldest = once(attackers[0] as Socket, 'close');
    expect(await ask()).toBe(200);
    await oldest;
    expect(attackers.map(({ destroyed }) => destroyed)).toEqual([true, false, false, false]);
    expect(refused).toEqual([{ code: 'resource_exhausted', clientIp: '127.0.0.1' }]);
  });

  test('a flood of connections closes neither a client that was served nor one that waits for its answer', async () => {
    await start();
    const kept = keptAgent();
    expect(await ask('/', kept)).toBe(200);
    const [socket] = Object.values(kept.freeSockets).flat();
    const held = ask('/held');
    const before = 'POST / HTTP/1.1\r\nContent-Length: 10\r\n\r\n12345';
    for (let n = 0; n < 5 * maxConnections; n++) await halfOpen(n % 2 === 0 ? before : '');
    expect(await ask('/', kept)).toBe(200);
    expect(socket?.destroyed).toBe(false);
    answer();
    expect(await held).toBe(200);
  });

  test('a new connection replaces the one that has been idle for longest if all were served', async () => {
    await start();
    const kept = Array.from({ length: maxConnections }, keptAgent);
    for (const agent of kept) expect(await ask('/', agent)).toBe(200);
    const socketOf = (agent?: Agent) => Object.values(agent?.freeSockets ?? {}).flat()[0] as Socket;
    const first = socketOf(kept[0]);
    expect(await ask('/', kept[0])).toBe(200);
    const closed = once(socketOf(kept[1]), 'close');
    expect(await ask()).toBe(200);
    await closed;
    expect(first.destroyed).toBe(false);
  });

  test('a new connection is closed if every other one has a request under way', async () => {
    await start();
    const answers: (() => void)[] = [];
    const held: Promise<number | undefined>[] = [];
    for (let n = 0; n < maxConnections; n++) {
      const before = answer;
      held.push(ask('/held'));
      while (answer === before) await new Promise(setImmediate);
      answers.push(answer);
    }
    const late = await halfOpen();
    await once(late.resume(), 'close');
    for (const each of answers) each();
    expect(await Promise.all(held)).toEqual([200, 200, 200, 200]);
  });
});
