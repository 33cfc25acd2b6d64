import { describe, expect, test } from '@jest/globals';

import { baseEnvironment } from './environment.js';

describe('baseEnvironment', () => {
  test('keeps what programs need and nothing else', () => {
    const kept = {
      ...{ PATH: '/bin', HOME: '/home/a', LANG: 'C', LC_ALL: 'C' },
      ...{ TERM: 'dumb', TMPDIR: '/tmp', USER: 'a', SHELL: '/bin/sh' },
    };
    const dropped = {
      GITHUB_TOKEN: 'x',
      NODE_OPTIONS: '-r y',
      SystemRoot: 'C:',
      path: '/other',
      LD_PRELOAD: 'z',
    };
    expect(baseEnvironment({ ...dropped, ...kept, SHLVL: undefined }, 'linux')).toEqual(kept);
  });

  test('keeps the variables of Windows in their own spelling', () => {
    const kept = {
      Path: 'C:\\bin',
      SystemRoot: 'C:\\Windows',
      APPDATA: 'C:\\a',
      ComSpec: 'cmd.exe',
      PATHEXT: '.EXE',
    };
    expect(baseEnvironment({ ...kept, AWS_SECRET_ACCESS_KEY: 'x' }, 'win32')).toEqual(kept);
  });

  test('reads the environment of this process by default', () => {
    expect(baseEnvironment()['PATH']).toBe(process.env['PATH']);
  });
});
