import { readdir, readFile } from 'node:fs/promises';

import { configKeys } from '@code-executor/config';
import { createMetrics } from '@code-executor/metrics';
import { afterAll, describe, expect, test } from '@jest/globals';

import { executorChecks } from './executors.js';
import { hookChecks } from './hook.js';
import { httpChecks } from './http.js';
import { metricChecks } from './metrics.js';
import { policyChecks } from './policy.js';
import { poolChecks } from './pool.js';
import { parseMetrics } from './parse-metrics.js';
import { recordChecks } from './record.js';
import { sandboxChecks } from './sandbox.js';
import type { EffectCheck } from './effect-check.js';
import { securityChecks } from './security.js';
import { serverChecks } from './servers.js';
import { problemOf, startChecks } from './start.js';
import { telemetryChecks } from './telemetry.js';
import { toolListChecks } from './tool-lists.js';

const keys = configKeys();
/** The variables by the keys that they set. */
const variables = new Map(keys.flatMap(({ key, env }) => (env === undefined ? [] : [[key, env] as const])));

const checks: EffectCheck[] = [
  ...startChecks,
  ...serverChecks,
  ...securityChecks,
  ...sandboxChecks,
  ...executorChecks,
  ...poolChecks,
  ...toolListChecks,
  ...policyChecks,
  ...hookChecks,
  ...httpChecks,
  ...recordChecks,
  ...telemetryChecks,
];
const withVariables = checks
  .filter((check) => check.withVariables.length > 0)
  .map((check) => check.fromEnvironment(variables));
afterAll(() => Promise.all([...checks, ...withVariables, ...metricChecks].map((check) => check.close())));

/** Runs the check for a setting; fails if there is none. */
async function show(setting: string, among: readonly EffectCheck[]): Promise<void> {
  const check = among.find(({ settings }) => settings.includes(setting));
  if (!check) throw new Error(`Nothing in src/settings shows the effect of ${setting}; add it there.`);
  await check.show(setting);
}

/** The variables that `config`, the only reader of the environment, names without setting a key. */
async function variablesWithoutKey(): Promise<string[]> {
  const folder = new URL('../../../../libs/config/src/', import.meta.url);
  const paths = await readdir(folder, { recursive: true });
  const files = paths.filter((name) => name.endsWith('.ts') && !name.includes('.test.'));
  const texts = await Promise.all(files.map((name) => readFile(new URL(name, folder), 'utf8')));
  const names = texts.flatMap((text) =>
    [...text.matchAll(/'([A-Z]+_[A-Z_]+)'/g)].map(([, name = '']) => name),
  );
  const others = new Set([...variables.values(), 'LC_ALL', 'PROCESSOR_ARCHITECTURE']);
  return [...new Set(names)].filter((name) => !others.has(name)).sort();
}

const settings = [...keys.map(({ key }) => key), ...(await variablesWithoutKey())];

describe('each setting has an effect:', () => {
  test.each(settings)('%s', (setting) => show(setting, checks));

  test.each([...variables].map(([key, variable]) => ({ key, variable })))(
    '$variable, and overrides the file',
    ({ key }) =>
      show(
        key,
        withVariables.filter((check) => check.withVariables.includes(key)),
      ),
  );

  test('and no check is for an unknown name', () => {
    const shown = checks.flatMap((check) => check.settings);
    expect(shown.sort()).toEqual([...settings].sort());
  });
});

/** The names of all metrics. */
async function metricNames(): Promise<string[]> {
  const servers: never[] = [];
  const none = { active: 0, waiting: 0, running: 0, hits: 0, misses: 0, servers };
  const read = () => none;
  const sandboxes = () => Promise.resolve([]);
  const text = await createMetrics({ pool: read, executor: read, cache: read, sandboxes }).render();
  return parseMetrics(text).names;
}

const names = await metricNames();

describe('each metric moves:', () => {
  test.each(names)('%s', (name) => show(name, metricChecks));

  test('and no check is for an unknown name', () => {
    const shown = metricChecks.flatMap((check) => check.settings);
    expect(shown.sort()).toEqual([...names].sort());
  });
});

/** One key of every object of the schema, misspelt by swapping two letters. */
function misspelt(): { wrong: string; right: string }[] {
  const parents = new Map<string, string>();
  for (const { key } of keys) {
    const path = key.split('.');
    for (const [depth, name] of path.entries()) parents.set(path.slice(0, depth).join('.'), name);
  }
  return [...parents]
    .filter(([, child]) => child !== '<name>')
    .map(([parent, child]) => {
      const place = [...parent.replaceAll('<name>', 'x').split('.')].filter((name) => name !== '');
      const swapped = `${child.slice(0, 1)}${child.slice(2, 3)}${child.slice(1, 2)}${child.slice(3)}`;
      return { wrong: [...place, swapped].join('.'), right: [...place, child].join('.') };
    });
}

/** A bad server is only left out; see libs/config. */
const isInServer = ({ wrong }: { wrong: string }) => wrong.startsWith('mcpServers.');

describe('an unknown key is an error at the start that names the most similar one:', () => {
  test.each(misspelt().filter((each) => !isInServer(each)))('$wrong', async ({ wrong, right }) => {
    const config = wrong.split('.').reduceRight<unknown>((value, name) => ({ [name]: value }), 1);
    expect(await problemOf(config as object)).toContain(
      `${wrong} is not a known key; did you mean ${right}?`,
    );
  });
});

test('the reference documents every variable', async () => {
  const pages = ['configuration.md', 'operations.md'].map((name) =>
    readFile(new URL(`../../../../docs/reference/${name}`, import.meta.url), 'utf8'),
  );
  const text = (await Promise.all(pages)).join('');
  const missing = [...settings.filter((name) => /^[A-Z]/.test(name)), ...variables.values()].filter(
    (name) => !text.includes(name),
  );
  expect(missing).toEqual([]);
});
