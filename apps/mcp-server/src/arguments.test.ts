import { describe, expect, test } from '@jest/globals';

import { parseArguments, usage } from './arguments.js';

describe('parseArguments', () => {
  test.each([
    [[], { name: 'serve' }],
    [['--config', 'a.json'], { name: 'serve', configFile: 'a.json' }],
    [['--config=a.json'], { name: 'serve', configFile: 'a.json' }],
    [['--http'], { name: 'serve-http' }],
    [['--http', '--config', 'a.json'], { name: 'serve-http', configFile: 'a.json' }],
    [['--help'], { name: 'help' }],
    [['-h'], { name: 'help' }],
    [['--version'], { name: 'version' }],
    [['-v'], { name: 'version' }],
  ])('%j', (args, command) => {
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
    [['--help=yes'], '--help takes no value'],
  ])('%j is a misuse', (args, problem) => {
    expect(parseArguments(args)).toEqual({ name: 'misuse', problem });
  });

  test('the usage names every option and an example of it', () => {
    for (const option of ['--config', '--http', '--version', '--help']) expect(usage).toContain(option);
    expect(usage).toContain('code-executor-mcp --config ./code-executor.json');
  });
});
