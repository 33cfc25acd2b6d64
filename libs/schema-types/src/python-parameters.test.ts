import { describe, expect, test } from '@jest/globals';

import { pythonParametersOf } from './python-parameters.js';

describe('pythonParametersOf', () => {
  test('keeps what is legal, and makes the rest so without taking a name twice', () => {
    const keys = [
      'a_b',
      'a-b',
      'a.b',
      'aB',
      'from',
      'from_',
      'None',
      '2x',
      '__proto__',
      '✓',
      '_call_tool',
      'list',
    ];
    expect(Object.fromEntries(pythonParametersOf(keys))).toEqual(
      Object.fromEntries([
        ['a_b', 'a_b'],
        ['a-b', 'a_b_2'],
        ['a.b', 'a_b_3'],
        ['aB', 'aB'],
        ['from', 'from__2'],
        ['from_', 'from_'],
        ['None', 'None_'],
        ['2x', '_2x'],
        ['__proto__', '__proto__'],
        ['✓', 'unnamed'],
        ['_call_tool', '_call_tool_'],
        ['list', 'list'],
      ]),
    );
  });

  test('is the same whichever order the properties come in', () => {
    const keys = ['a.b', 'from', 'a-b', 'a_b_2', 'from_'];
    const sorted = (map: Map<string, string>) => [...map].sort();
    expect(sorted(pythonParametersOf(keys.toReversed()))).toEqual(sorted(pythonParametersOf(keys)));
    expect(pythonParametersOf(keys).get('a.b')).toBe('a_b_3');
  });
});
