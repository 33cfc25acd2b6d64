import { describe, expect, test } from '@jest/globals';

import { withoutFence } from './without-fence.js';

describe('withoutFence', () => {
  test.each([
    ['```ts\nreturn 1\n```', 'return 1'],
    ['\n```typescript\r\nreturn 1\r\n```\n\n', 'return 1\r'],
    ['```\na\n\nb\n```', 'a\n\nb'],
    ['~~~~python3\n1\n~~~~', '1'],
    ['````js\nconst t = `\n```\n`;\n````', 'const t = `\n```\n`;'],
  ])('removes the one fence around all of %j', (code, program) => {
    expect(withoutFence(code)).toBe(program);
  });

  test.each([
    'return 1',
    '```ts\nreturn 1',
    '```ts\n```',
    'Here it is:\n```ts\nreturn 1\n```',
    '```ts\nreturn 1\n```\nand\n```ts\nreturn 2\n```',
    '```ts\nreturn 1\n```\nThat is all.',
    '`return 1`',
    '``` a b\nreturn 1\n```',
  ])('leaves %j as it is', (code) => {
    expect(withoutFence(code)).toBe(code);
  });
});
