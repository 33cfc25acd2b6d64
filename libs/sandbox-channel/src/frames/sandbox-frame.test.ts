import { describe, expect, test } from '@jest/globals';

import { readFrame } from './sandbox-frame.js';

describe('readFrame', () => {
  test('copies the known fields and drops the others', () => {
    expect(
      readFrame('{"type":"call","id":1,"method":"m","params":{"a":1},"extra":2,"__proto__":{"x":1}}'),
    ).toEqual({
      type: 'call',
      id: 1,
      method: 'm',
      params: { a: 1 },
    });
    expect(readFrame('{"type":"result","value":null,"truncated":"yes","isolation":"strict"}')).toEqual({
      type: 'result',
      value: null,
      truncated: false,
    });
    expect(readFrame('{"type":"loading","value":1}')).toEqual({ type: 'loading' });
    expect(readFrame('{"type":"started","value":1}')).toEqual({ type: 'started' });
  });

  test('accepts only known error codes and message texts', () => {
    const error = (fields: object) => readFrame(JSON.stringify({ type: 'result', error: fields }));
    expect(error({ code: 'not_serializable', message: 'm' })).toMatchObject({
      error: { code: 'not_serializable', message: 'm' },
    });
    expect(error({ code: 'internal', message: 5 })).toMatchObject({
      error: { code: 'user_error', message: 'The program failed.' },
    });
  });

  test.each([
    '',
    'null',
    '[]',
    '"call"',
    '{',
    '{"type":"other"}',
    '{"type":"toString"}',
    '{"type":"call","id":1.5,"method":"m","params":{}}',
    '{"type":"call","id":1e300,"method":"m","params":{}}',
    '{"type":"call","id":"1","method":"m","params":{}}',
    '{"type":"call","id":1,"method":["m"],"params":{}}',
    '{"type":"call","id":1,"method":"m","params":[]}',
    '{"type":"call","id":1,"method":"m"}',
  ])('refuses %.60s', (json) => {
    expect(readFrame(json)).toBeUndefined();
  });
});
