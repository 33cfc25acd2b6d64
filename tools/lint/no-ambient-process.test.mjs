import { describe, it } from 'node:test';

import { RuleTester } from 'eslint';
import globals from 'globals';

import { noAmbientProcess } from './no-ambient-process.mjs';

RuleTester.describe = describe;
RuleTester.it = it;
const tester = new RuleTester({ languageOptions: { globals: globals.node } });
const refused = (messageId) => (code) => ({ code, errors: [{ messageId }] });

tester.run('no-ambient-process', noAmbientProcess, {
  valid: [
    'process.platform;',
    "process['pid'];",
    'globalThis.process.kill(1);',
    'const { platform, pid } = process;',
    'const process = start(); process.stdout;',
    'isolated.process.stderr;',
    "import { env } from './settings.js';",
  ],
  invalid: [
    ...[
      'process.env;',
      "process['env'];",
      'process?.env;',
      'globalThis.process.env.HOME;',
      'global.process.env;',
      'const { env } = process;',
      'const { env: settings } = globalThis.process;',
    ].map(refused('environment')),
    ...[
      'process.stdin;',
      'process.stdout.write(text);',
      'process.stderr.write(text);',
      'const { stderr } = process;',
      'console.error(text);',
      'globalThis.console.log(text);',
      'const { log } = console;',
      'const print = console;',
    ].map(refused('stream')),
    ...[
      "import { env } from 'node:process';",
      "import process from 'process';",
      "import * as process from 'node:process';",
      "export { env } from 'node:process';",
      "export * from 'node:process';",
      "import console from 'node:console';",
      "const { env } = await import('node:process');",
      'process[name];',
      'read(process);',
      'const { ...all } = process;',
      'const { [name]: value } = process;',
    ].map(refused('hidden')),
    ...['const me = process; me.env;', 'const { process: { env } } = globalThis;'].map((code) => ({
      code,
      errors: [{ messageId: 'hidden' }, { messageId: 'environment' }],
    })),
  ],
});
