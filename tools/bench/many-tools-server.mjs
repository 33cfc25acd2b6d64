/**
 * A server on the SDK with a hundred tools, each with a schema of typical size and `argv[2]` in its name. It uses
 * stdio, or with `http` as `argv[3]` Streamable HTTP, and then prints its URL.
 */
import { createServer } from 'node:http';

import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { ListToolsRequestSchema } from '@modelcontextprotocol/sdk/types.js';

const subjects = [
  'issue',
  'branch',
  'commit',
  'review',
  'label',
  'release',
  'comment',
  'team',
  'file',
  'tag',
];
const verbs = ['list', 'get', 'create', 'update', 'delete', 'search', 'lock', 'assign', 'export', 'archive'];
const text = (description) => ({ type: 'string', description });

const tools = subjects.flatMap((subject) =>
  verbs.map((verb) => ({
    name: `${verb}_${subject}_${process.argv[2]}`,
    description: `Lets you ${verb} a ${subject} of a repository. Takes the repository by owner and name.`,
    inputSchema: {
      type: 'object',
      properties: {
        owner: text('The account that owns the repository'),
        repo: text('The name of the repository'),
        [`${subject}Id`]: { type: 'number', description: `The number of the ${subject}` },
        state: { type: 'string', enum: ['open', 'closed', 'all'], default: 'open' },
        labels: { type: 'array', items: { type: 'string' } },
      },
      required: ['owner', 'repo'],
    },
  })),
);
function create() {
  const server = new Server({ name: 'many-tools', version: '1.0.0' }, { capabilities: { tools: {} } });
  server.setRequestHandler(ListToolsRequestSchema, () => ({ tools }));
  return server;
}

if (process.argv[3] === 'http') {
  const http = createServer(async (request, response) => {
    const transport = new StreamableHTTPServerTransport({ sessionIdGenerator: undefined });
    await create().connect(transport);
    await transport.handleRequest(request, response);
  });
  http.listen(0, '127.0.0.1', () => console.log(`http://127.0.0.1:${http.address().port}/mcp`));
} else {
  await create().connect(new StdioServerTransport());
}
