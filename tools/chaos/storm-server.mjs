/** A stdio server on the SDK. `argv[2]` says how it misbehaves; without it, the server behaves well. */
import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import { CallToolRequestSchema, ListToolsRequestSchema } from '@modelcontextprotocol/sdk/types.js';

const [, , behaviour] = process.argv;
const never = new Promise(() => {});
let changes = 0;
let calls = 0;

/** What each kind of misbehaviour does during a call. */
const answers = {
  async killed() {
    // Dies in the middle of every third call.
    if (++calls % 3 === 0) process.kill(process.pid, 'SIGKILL');
  },
  hung: () => never,
  async garbage() {
    process.stdout.write(
      `{"jsonrpc":"2.0","id":"${'x'.repeat(1000)}\nnot a message\n{"jsonrpc":"2.0","id":1e99}\n`,
    );
    await never;
  },
  slow: () => new Promise((resolve) => setTimeout(resolve, 2000)),
};

const server = new Server(
  { name: 'storm', version: '1.0.0' },
  { capabilities: { tools: { listChanged: true } } },
);
const tool = (name) => ({ name, description: 'Answers its text.', inputSchema: { type: 'object' } });
server.setRequestHandler(ListToolsRequestSchema, () => ({
  tools: [tool('echo'), ...(behaviour === 'changing' ? [tool(`tool-${changes}`)] : [])],
}));
server.setRequestHandler(CallToolRequestSchema, async ({ params }) => {
  await answers[behaviour]?.();
  return { content: [{ type: 'text', text: String(params.arguments?.text) }] };
});
await server.connect(new StdioServerTransport());

if (behaviour === 'flooding') {
  const line = `${'x'.repeat(8000)}\n`;
  const flood = () => process.stderr.write(line, () => setTimeout(flood, 1));
  flood();
}
if (behaviour === 'changing') {
  setInterval(() => {
    changes++;
    void server.sendToolListChanged();
  }, 1000);
}
