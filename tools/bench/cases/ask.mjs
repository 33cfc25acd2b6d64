import { everything, execute } from '../processes.mjs';

/** One call that a person has to agree to, answered at once by the client, compared with the same call without a question. */
export const ask = {
  name: 'ask',
  what: 'one tool call that asks a person, with a client that answers at once − the same call without a question, in ms',
  rounds: 20,
  async open(workplace) {
    const { client } = await workplace.startServer(
      {
        mcpServers: { asked: everything, free: everything },
        policy: { servers: { asked: { ask: ['*'] } } },
      },
      {},
      { elicitation: {} },
    );
    client.setRequestHandler('elicitation/create', ({ params }) => ({
      action: 'accept',
      content: Object.fromEntries(params.requestedSchema.required.map((key) => [key, 'yes, once'])),
    }));
    const timeOf = (server) => async () => {
      const call = `await callMCPTool('mcp__${server}__echo', { message: 'hi' })`;
      const code = `for (let i = 0; i < 10; i++) ${call};
const started = performance.now();
for (let i = 0; i < 50; i++) ${call};
return (performance.now() - started) / 50`;
      return (await execute(client, code, { allowedTools: [server] })).result;
    };
    return { asked: timeOf('asked'), free: timeOf('free') };
  },
  rows: [{ label: 'asked − free in ms', atMost: 5, ratio: ({ asked, free }) => asked - free }],
};
