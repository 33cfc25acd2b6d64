import { describe, expect, test } from '@jest/globals';

import { parseArguments, usage } from './arguments.js';

describe('parseArguments', () => {
  test.each([
    [[], { name: 'serve' }],
    [['--config', 'a.json'], { name: 'serve', configFile: 'a.json' }],
    [['--config=a.json'], { name: 'serve', configFile: 'a.json' }],
    [['--http'], { name: 'serve-http', needsToken: true }],
    [['--http', '--config', 'a.json'], { name: 'serve-http', needsToken: true, configFile: 'a.json' }],
    [['--no-auth', '--http'], { name: 'serve-http', needsToken: false }],
    [['--help'], { name: 'help' }],
    [['-h'], { name: 'help' }],
    [['--version'], { name: 'version' }],
    [['-v'], { name: 'version' }],
  ])('reads %j', (args, command) => {
    expect(parseArguments(args)).toEqual(command);
  });

  test.each([
    [['--confg', 'a.json'], 'unknown option "--confg"; did you mean --config?'],
    [['--hlep'], 'unknown option "--hlep"; did you mean --help?'],
    [['--htpt'], 'unknown option "--htpt"; did you mean --http?'],
    [['--verison'], 'unknown option "--verison"; did you mean --version?'],
    [['--toolsets=all'], 'unknown option "--toolsets"'],
    [['--__proto__'], 'unknown option "--__proto__"'],
    [['-x'], 'unknown option "-x"'],
    [['setup'], 'unexpected argument "setup"'],
    [['--config'], '--config needs a file'],
    [['--config='], '--config needs a file'],
    [['--http=1'], '--http takes no value'],
    [['--no-auth'], '--no-auth needs --http'],
    [['--http', '--no-auth=1'], '--no-auth takes no value'],
    [['--http', '--noauth'], 'unknown option "--noauth"; did you mean --no-auth?'],
    [['--http', '--auth'], 'unknown option "--auth"'],
    [['--help=yes'], '--help takes no value'],
  ])('refuses %j', (args, problem) => {
    expect(parseArguments(args)).toEqual({ name: 'misuse', problem });
  });

  test('names every option in the usage, with an example', () => {
    for (const option of ['--config', '--http', '--no-auth', '--version', '--help'])
      expect(usage).toContain(option);
    expect(usage).toContain('code-executor-mcp --config ./code-executor.json');
  });
});
