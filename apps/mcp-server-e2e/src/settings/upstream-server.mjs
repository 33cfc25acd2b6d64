/**
 * An upstream server whose tools reveal settings: `tell` (its arguments, folder, environment, and how often its tools
 * were listed), `wait` (how many calls waited at once), `give` (bytes), `die`, `change` (its tools change; they are
 * listed with a delay of one second).
 */
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';

const names = ['tell', 'wait', 'give', 'die', 'change'];
const send = (message) => process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
const waiting = { now: 0, most: 0 };
let lists = 0;
let listingMs = 0;

async function wait(ms) {
  waiting.now += 1;
  waiting.most = Math.max(waiting.most, waiting.now);
  await delay(ms);
  waiting.now -= 1;
  return { atOnce: waiting.most };
}

async function call({ name, arguments: { ms, bytes } = {} }) {
  const { SHOWN, NOT_SHOWN } = process.env;
  if (name === 'tell') {
    return { args: process.argv.slice(2), cwd: process.cwd(), env: { SHOWN, NOT_SHOWN }, lists };
  }
  if (name === 'wait') return wait(ms);
  if (name === 'give') return 'x'.repeat(bytes);
  if (name === 'die') process.exit(1);
  names.push('added');
  listingMs = 1000;
  send({ method: 'notifications/tools/list_changed' });
  return 'changed';
}

async function answer({ method, params }) {
  if (method === 'initialize') {
    const { protocolVersion } = params;
    const serverInfo = { name: 'shows', version: '0' };
    return { protocolVersion, capabilities: { tools: { listChanged: true } }, serverInfo };
  }
  if (method === 'tools/list') {
    lists += 1;
    await delay(listingMs);
    return { tools: names.map((name) => ({ name, inputSchema: { type: 'object' } })) };
  }
  return { content: [{ type: 'text', text: JSON.stringify(await call(params)) }] };
}

createInterface({ input: process.stdin }).on('line', async (line) => {
  const { id, ...request } = JSON.parse(line);
  if (id !== undefined) send({ id, result: await answer(request) });
});
