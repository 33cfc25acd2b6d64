import { describe, expect, test } from '@jest/globals';

import { CodeExecutorError } from './error.js';

describe('CodeExecutorError', () => {
  test('keeps code, message, hints and cause', () => {
    const cause = new Error('inner');
    const error = new CodeExecutorError('unavailable', 'Server a is starting.', {
      retryAfterMs: 100,
      server: 'a',
      tool: 'mcp__a__b',
      cause,
    });
    expect(error).toMatchObject({ code: 'unavailable', retryAfterMs: 100, server: 'a', tool: 'mcp__a__b' });
    expect(error.message).toBe('Server a is starting.');
    expect(error.cause).toBe(cause);
  });

  test('recognises errors of another installed copy, and nothing else', () => {
    const foreign = Object.assign(new Error('x'), {
      code: 'internal',
      [Symbol.for('@code-executor/error')]: true,
    });
    expect(CodeExecutorError.is(foreign)).toBe(true);
    for (const other of [new Error('x'), { code: 'internal' }, null, 'internal', undefined]) {
      expect(CodeExecutorError.is(other)).toBe(false);
    }
  });

  test('from() returns its own kind as it is and never shows a foreign message', () => {
    const own = new CodeExecutorError('not_found', 'x');
    expect(CodeExecutorError.from(own)).toBe(own);
    const secret = CodeExecutorError.from(new Error('password=hunter2'));
    expect(secret.code).toBe('internal');
    expect(secret.message).not.toContain('hunter2');
    expect((secret.cause as Error).message).toContain('hunter2');
  });

  test.each([
    ['AbortError', 'cancelled'],
    ['TimeoutError', 'deadline_exceeded'],
  ])('from() maps %s to %s', (name, code) => {
    expect(CodeExecutorError.from(new DOMException('x', name)).code).toBe(code);
  });
});
