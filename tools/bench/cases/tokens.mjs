import { join } from 'node:path';

import { encode } from 'gpt-tokenizer/encoding/o200k_base';

import { binOf } from '../../run.mjs';

const query = 'read a file';

/** The tokens of our tool list and our answers, with three real servers behind ours. */
export const tokens = {
  name: 'tokens',
  what: 'o200k tokens of our tool list (name, description, input schema), of an answer, of a search with ten hits',
  rounds: 1,
  warmUps: 0,
  async open(workplace) {
    const { folder } = workplace;
    const entry = (name, args, env) => ({
      command: process.execPath,
      args: [binOf(`@modelcontextprotocol/server-${name}`, `mcp-server-${name}`), ...args],
      ...(env && { env }),
    });
    const { client } = await workplace.startServer({
      mcpServers: {
        everything: entry('everything', ['stdio']),
        filesystem: entry('filesystem', [folder]),
        memory: entry('memory', [], { MEMORY_FILE_PATH: join(folder, 'memory.jsonl') }),
      },
    });
    const { client: upstream } = await workplace.startEverything();
    const count = async (from) => {
      const { tools } = await from.listTools();
      const seen = tools.map(({ name, description, inputSchema }) => ({ name, description, inputSchema }));
      return encode(JSON.stringify(seen)).length;
    };
    const answerTo = async (code) => {
      const { content } = await client.callTool({ name: 'executeTypescript', arguments: { code } });
      return encode(content[0].text).length;
    };
    // After this, the tools of the servers are in the cache.
    await answerTo('return (await discoverMCPTools()).length');
    return {
      ours: () => count(client),
      everything: () => count(upstream),
      answer: () => answerTo('return 1'),
      search: () => answerTo(`return await searchTools(${JSON.stringify(query)})`),
    };
  },
  rows: [
    { label: 'our tools', atMost: 600, ratio: ({ ours }) => ours, shows: ['ours', 'everything'] },
    { label: 'return 1', atMost: 45, ratio: ({ answer }) => answer, shows: ['answer'] },
    { label: 'ten hits', atMost: 450, ratio: ({ search }) => search, shows: ['search'] },
  ],
};
