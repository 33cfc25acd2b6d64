import { describe, expect, test } from '@jest/globals';

import { fakeToolSource } from './testing/index.js';
import { ToolFailure, toolFailureText } from './tool-failure.js';

const source = fakeToolSource({ mcp__test__fail: () => null });
const failed = (...texts: string[]) => ({
  isError: true,
  content: texts.map((text) => ({ type: 'text', text })),
});

describe('the failure of a tool', () => {
  test('has the texts of the result, one per line', () => {
    expect(toolFailureText(failed('first', 'second'))).toBe('first\nsecond');
  });

  test('says so if the tool gave no reason', () => {
    expect(toolFailureText(failed(' '))).toBe('The tool failed and gave no reason.');
    expect(toolFailureText(failed())).toBe('The tool failed and gave no reason.');
  });

  test('has at most 4,000 characters', () => {
    expect(toolFailureText(failed('x'.repeat(5000)))).toBe('x'.repeat(4000));
  });

  test('is undefined for a result without isError', async () => {
    const result = { content: [{ type: 'text', text: 'fine' }] };
    expect(toolFailureText(result)).toBeUndefined();
    expect(await ToolFailure.of(result, 'mcp__test__fail', source)).toBeUndefined();
  });

  test('names the tool and its server, also as JSON', async () => {
    const failure = await ToolFailure.of(failed('it failed'), 'mcp__test__fail', source);
    expect(JSON.parse(JSON.stringify(failure))).toEqual({
      code: 'tool_error',
      message: 'it failed',
      tool: 'mcp__test__fail',
      server: 'test',
    });
  });
});
