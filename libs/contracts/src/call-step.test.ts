import { describe, expect, test } from '@jest/globals';

import { type CallStep, throughSteps } from './call-step.js';

interface Call {
  path: string[];
}

const mark = (name: string): CallStep<Call> => ({
  name,
  around: async (call, next) => {
    call.path.push(`${name} begins`);
    const result = await next(call);
    call.path.push(`${name} ends`);
    return result;
  },
});
const call = ({ path }: Call) => {
  path.push('call');
  return Promise.resolve({ content: [] });
};

describe('steps around a call', () => {
  test('run in order, the first one outermost', async () => {
    const path: string[] = [];
    expect(await throughSteps([mark('a'), mark('b')], call)({ path })).toEqual({ content: [] });
    expect(path).toEqual(['a begins', 'b begins', 'call', 'b ends', 'a ends']);
  });

  test('go no further than one that refuses the call', async () => {
    const path: string[] = [];
    const refuse: CallStep<Call> = { name: 'refuse', around: () => Promise.reject(new Error('no')) };
    await expect(throughSteps([mark('a'), refuse, mark('b')], call)({ path })).rejects.toThrow('no');
    expect(path).toEqual(['a begins']);
  });

  test('may go on more than once, with another call', async () => {
    const path: string[] = [];
    const twice: CallStep<Call> = {
      name: 'twice',
      around: async (_, next) => {
        await next({ path: [] });
        return next({ path });
      },
    };
    await throughSteps([twice, mark('a')], call)({ path: ['unused'] });
    expect(path).toEqual(['a begins', 'call', 'a ends']);
  });

  test('are the call alone if there are none', async () => {
    const path: string[] = [];
    await throughSteps([], call)({ path });
    expect(path).toEqual(['call']);
  });
});
