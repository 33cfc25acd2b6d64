import { encode } from 'gpt-tokenizer/encoding/o200k_base';

/** What our tool list costs an agent, against the list of one real server. */
export const tokens = {
  name: 'tokens',
  what: 'o200k tokens of our tool list (name, description, input schema)',
  rounds: 1,
  warmUps: 0,
  async open(workplace) {
    const { client } = await workplace.startServer({});
    const { client: upstream } = await workplace.startEverything();
    const count = async (from) => {
      const { tools } = await from.listTools();
      const seen = tools.map(({ name, description, inputSchema }) => ({ name, description, inputSchema }));
      return encode(JSON.stringify(seen)).length;
    };
    return { ours: () => count(client), everything: () => count(upstream) };
  },
  rows: [{ label: 'ours, in tokens', atMost: 560, ratio: ({ ours }) => ours }],
};
