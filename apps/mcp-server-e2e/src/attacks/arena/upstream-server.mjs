/**
 * An upstream MCP server over stdio, for attacks on what is between it and a program. It writes each call that reaches
 * it to the file that is its first argument.
 */
import { appendFileSync } from 'node:fs';
import { createInterface } from 'node:readline';

const [logFile] = process.argv.slice(2);
const line = (message) => `${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`;
const text = (value) => ({ content: [{ type: 'text', text: value }] });
const nest = (depth) => '['.repeat(depth) + ']'.repeat(depth);
const anything = { type: 'object' };

const tools = {
  echo: [anything, (args) => ({ ...text(JSON.stringify(args)), structuredContent: args })],
  secret: [anything, () => text(process.env.CANARY)],
  fail: [anything, ({ message }) => ({ ...text(message ?? 'It failed.'), isError: true })],
  big: [anything, ({ bytes }) => text('x'.repeat(bytes))],
  denseText: [anything, ({ bytes }) => text(`[${'{},'.repeat(bytes / 3)}{}]`)],
  slow: [anything, ({ ms }) => new Promise((resolve) => setTimeout(() => resolve(text('late')), ms))],
  blocks: [anything, ({ content }) => ({ content })],
  pay: [
    {
      type: 'object',
      properties: { amount: { type: 'integer', minimum: 1, maximum: 10 } },
      required: ['amount'],
      additionalProperties: false,
    },
    () => text('paid'),
  ],
  match: [{ type: 'object', properties: { text: { pattern: '^(a+)+$' } } }, () => text('matched')],
  refuse: [
    anything,
    (_args, id) => process.stdout.write(line({ id, error: { code: -32603, message: 'It failed.' } })),
  ],
  // These write their answers themselves, as text that no JSON library would write.
  raw: [
    anything,
    ({ result }, id) => process.stdout.write(`{"jsonrpc":"2.0","id":${id},"result":${result}}\n`),
  ],
  dense: [
    anything,
    ({ bytes }, id) =>
      process.stdout.write(
        `{"jsonrpc":"2.0","id":${id},"result":{"content":[],"structuredContent":{"a":[${'{},'.repeat(bytes / 3)}{}]}}}\n`,
      ),
  ],
  deep: [
    anything,
    ({ depth }, id) =>
      process.stdout.write(
        `{"jsonrpc":"2.0","id":${id},"result":{"content":[],"structuredContent":{"a":${nest(depth)}}}}\n`,
      ),
  ],
  endless: [anything, flood],
};

function flood() {
  const more = () => {
    while (process.stdout.write('x'.repeat(65_536)));
    process.stdout.once('drain', more);
  };
  more();
}

const listed = Object.entries(tools).map(([name, [inputSchema]]) => ({
  name,
  description: name,
  inputSchema,
}));

createInterface({ input: process.stdin }).on('line', async (received) => {
  const { id, method, params } = JSON.parse(received);
  if (method === 'initialize') {
    const { protocolVersion } = params;
    const serverInfo = { name: 'upstream', version: '0' };
    process.stdout.write(line({ id, result: { protocolVersion, capabilities: { tools: {} }, serverInfo } }));
  } else if (method === 'tools/list') {
    process.stdout.write(line({ id, result: { tools: listed } }));
  } else if (method === 'tools/call') {
    appendFileSync(logFile, `${params.name} ${JSON.stringify(params.arguments ?? null).slice(0, 200)}\n`);
    const [, call] = tools[params.name];
    const result = await call(params.arguments ?? {}, id);
    if (typeof result === 'object') process.stdout.write(line({ id, result }));
  } else if (method === 'notifications/cancelled') {
    appendFileSync(logFile, 'cancelled\n');
  }
});
