import { describe, expect, test } from '@jest/globals';

import { removeKey, setKey } from './edit-json.js';

const path = ['http', 'clients', 'app'];

const lines = (...text: string[]) => `${text.join('\n')}\n`;

describe('setKey', () => {
  test.each([
    [
      'an empty file',
      '{}\n',
      lines('{', '  "http": {', '    "clients": {', '      "app": 1', '    }', '  }', '}'),
    ],
    [
      'behind a comment',
      lines('{', '    // head', '    "a": 1 // why', '    // foot', '}'),
      lines(
        ...['{', '    // head', '    "a": 1, // why', '    "http": {', '        "clients": {'],
        ...['            "app": 1', '        }', '    }', '    // foot', '}'],
      ),
    ],
    [
      'with a trailing comma, tabs and the line ends of Windows',
      '{\r\n\t"http": {\r\n\t\t"port": 1, /* why */\r\n\t},\r\n\t"z": 1\r\n}',
      '{\r\n\t"http": {\r\n\t\t"port": 1, /* why */\r\n\t\t"clients": {\r\n\t\t\t"app": 1\r\n\t\t},\r\n\t},\r\n\t"z": 1\r\n}',
    ],
    ['all in one line', '{"http":{"clients":{"b":{}}}}', '{"http":{"clients":{"b":{},\n  "app": 1}}}'],
    [
      'a value that is there',
      '{"http":{"clients":{"app":{} /* why */}}}',
      '{"http":{"clients":{"app":1 /* why */}}}',
    ],
  ])('%s', (_, before, after) => {
    expect(setKey(before, path, 1)).toBe(after);
  });
});

describe('removeKey', () => {
  test.each([
    [
      'the last one, with the comma before it',
      lines(
        '{"http":{"clients":{',
        '  "a": 1, // why a',
        '  // b',
        '  "app": {',
        '    "x": 1',
        '  } // why',
        '  // c',
        '}}}',
      ),
      lines('{"http":{"clients":{', '  "a": 1 // why a', '  // b', '  // c', '}}}'),
    ],
    [
      'the first one',
      '{"http":{"clients":{\r\n  "app": 2, // why\r\n  "b": 3,\r\n}}}',
      '{"http":{"clients":{\r\n  "b": 3,\r\n}}}',
    ],
    [
      'within a line',
      '{"http":{"clients":{"a": 1,"app": 2,"b": 3}}}',
      '{"http":{"clients":{"a": 1,"b": 3}}}',
    ],
    ['at the end of a line', '{"http":{"clients":{"a": 1,"app": 2}}}', '{"http":{"clients":{"a": 1}}}'],
    ['the only one', '{"http":{"clients":{"app": 2}}}', '{"http":{"clients":{}}}'],
    ['none', '{"http":{}}', '{"http":{}}'],
  ])('%s', (_, before, after) => {
    expect(removeKey(before, path)).toBe(after);
  });
});
