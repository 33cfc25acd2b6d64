import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { configKeys } from '@code-executor/config';

import type { Places } from '../arena/places.js';
import { eachRefused, type Refusal, withAttacked } from './attacked-server.js';
import type { ServerAttack } from './server-attack.js';

const other = { command: 'true' };
const nested = (depth: number) => `${'['.repeat(depth)}${']'.repeat(depth)}`;
const manyKeys = JSON.stringify(Object.fromEntries(Array.from({ length: 50_000 }, (_, n) => [`key${n}`, 1])));

/** Contents of a configuration file, and the message about each. */
const badTexts: readonly [text: string | Uint8Array, said: string | RegExp][] = [
  ['', 'line 1, column 1: not valid JSON, value expected.'],
  ['{} {}', /^line 1, column 4: not valid JSON, /],
  ['{"log": {"level": "info"}', /^line 1, column \d+: not valid JSON, close brace expected\.$/],
  ['{"version": NaN}', /^line 1, column 13: not valid JSON, /],
  ['{"security": {"maxCodeSize": -Infinity}}', /^line 1, column 30: not valid JSON, /],
  ['{"security": {"maxCodeSize": 0x10}}', /^line 1, column 31: not valid JSON, /],
  [
    '{"security": {"maxCodeSize": 1e999}}',
    'security.maxCodeSize is the number Infinity (expected integer from 1 to 10000000).',
  ],
  ['null', 'the top level is null (expected object).'],
  ['[]', 'the top level is an array (expected object).'],
  ['{"__proto__": {"audit": {"enabled": false}}}', '__proto__ (line 1, column 2) is not allowed as a key.'],
  [
    '{"policy": {"__proto__": {"ceiling": ["*"]}}}',
    'policy.__proto__ (line 1, column 13) is not allowed as a key.',
  ],
  ['{"constructor": {"prototype": {"isAdmin": true}}}', /^constructor is not a known key; /],
  [
    '{"policy": {"ceiling": []},\n "policy": {"ceiling": ["*"]}}',
    'policy (line 2, column 2) is there twice.',
  ],
  ['{"policy": {"ceiling": [], "ceiling": ["*"]}}', 'policy.ceiling (line 1, column 28) is there twice.'],
  [
    '{"policy": {"ceiling": [], "\\u0063eiling": ["*"]}}',
    'policy.ceiling (line 1, column 28) is there twice.',
  ],
  [
    '{"security": {"maxCodeSizes": 5}}',
    /^security\.maxCodeSizes is not a known key; did you mean security\.maxCodeSize\?$/,
  ],
  [
    '{"security": {"maxCodeSize": "5"}}',
    'security.maxCodeSize is the string "5" (expected integer from 1 to 10000000).',
  ],
  ['{"audit": {"enabled": "false"}}', 'audit.enabled is the string "false" (expected boolean).'],
  ['{"policy": {"ceiling": "*"}}', 'policy.ceiling is the string "*" (expected array of non-empty strings).'],
  ['{"policy": []}', /^policy is an array/],
  ['{"security": {"allowRead": ["/tmp\\u0000/x"]}}', 'security.allowRead[0] contains a NUL character.'],
  [`{"policy": ${nested(100_000)}}`, 'line 1, column 75: nested deeper than 64 levels.'],
  ['{"log":'.repeat(100_000), 'line 1, column 449: nested deeper than 64 levels.'],
  [manyKeys, /^has 50000 problems:(?:\n- key\d+ is not a known key; .*){20}\n- and 49980 more$/],
  [`{"${'k'.repeat(1_000_000)}": 1}`, /^.{0,100} is not a known key; /],
  [
    `{"policy": {"ceiling": "${'v'.repeat(1_000_000)}"}}`,
    /^policy\.ceiling is the string .{0,200} \(expected /,
  ],
  [Buffer.from('\uFEFF{"log": {"level": "info"}}', 'utf16le'), 'is not UTF-8 text.'],
  [Buffer.from('{"log": {"level": "\xff"}}', 'latin1'), 'is not UTF-8 text.'],
];

/** Texts that are not numbers for environment variables. */
const badNumbers = [
  ...['1e9', '-1', '0', '0x10', ' 5', '5 ', '5abc', '', '05', '+5', '5.0', '1_000', '٥', 'NaN', 'Infinity'],
  '9'.repeat(400),
];
const numericKeys = configKeys().flatMap(({ env, type }) =>
  env !== undefined && type.startsWith('integer') ? [{ env, type }] : [],
);

/** All variables at once, because one start for each would take long; the message must name each of them. */
const badEnvironments = badNumbers.map((text): Refusal => {
  const env = Object.fromEntries(numericKeys.map((key) => [key.env, text]));
  const each = numericKeys.map((key) => `\\n- ${key.env} is "?.{0,110} \\(expected ${key.type}\\)`);
  return [{ env }, new RegExp(`^The environment has ${numericKeys.length} problems:${each.join('')}$`)];
});

/** This variable is not a key of the configuration. */
const badPorts = ['1e3', '0', '65536', '0x50', ' 80', ''].map((text): Refusal => [
  { env: { HEALTH_CHECK_PORT: text } },
  `HEALTH_CHECK_PORT is "${text}" (expected a port from 1 to 65535).`,
]);

/** Attacks through the content of the configuration. */
export const configContent: readonly ServerAttack[] = [
  {
    id: 'CFG-03',
    what: 'write hostile JSON into the configuration: __proto__, repeated names, NaN, depth, 50,000 keys, wrong types, other encodings',
    stoppedBy: 'server (it reports up to 20 problems with key and place, and does not start)',
    async attack() {
      await eachRefused(
        badTexts.map(([config, said]) => {
          const where = said === 'is not UTF-8 text.' ? 'File FILE ' : 'Configuration file FILE: ';
          if (typeof said === 'string') return [{ config }, `${where}${said}`];
          const list = said.source.startsWith('^has') ? 'Configuration file FILE ' : where;
          return [{ config }, new RegExp(`^${list}${said.source.replace(/^\^/, '')}`, 's')];
        }),
      );
      // A bad project file does not affect the other files.
      for (const [text, warning] of [
        [
          `{"mcpServers": {"__proto__": ${JSON.stringify(other)}}}`,
          /__proto__.* is left out: it is no name for a server/,
        ],
        [`{"mcpServers": ${nested(100_000)}}`, /nested deeper than 64 levels/],
        [' '.repeat(2_000_000), /larger than 1 MB/],
      ] as const) {
        const env = { MCP_CONFIG_PATH: 'stage/mcp.json', CODE_EXECUTOR_TRUST_PROJECT: '1' };
        const prepare = ({ stage }: Places) => writeFile(join(stage, 'mcp.json'), text);
        await withAttacked({ env, prepare }, async (server) => {
          const report = await server.run('return await callMCPTool("mcp__other__echo", { a: 1 })', {
            allowedTools: ['mcp__other__echo'],
          });
          assert.deepEqual(report.result, { a: 1 });
          assert.match(server.output.log, warning);
        });
      }
    },
  },
  {
    id: 'CFG-05',
    what: 'set variables to invalid numbers, or to numbers that programs read in different ways',
    stoppedBy: 'server (decimal digits within the bounds of the key; each variable is named)',
    attack: () => eachRefused([...badEnvironments, ...badPorts]),
  },
];
