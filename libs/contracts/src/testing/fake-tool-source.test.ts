import { describeToolSource } from './describe-tool-source.js';
import { fakeToolSource } from './fake-tool-source.js';

describeToolSource('fakeToolSource', () =>
  Promise.resolve({
    source: fakeToolSource({
      mcp__test__echo: (args) => ({ text: args['text'] }),
      mcp__test__fail: () => {
        throw new Error('it failed');
      },
    }),
  }),
);
