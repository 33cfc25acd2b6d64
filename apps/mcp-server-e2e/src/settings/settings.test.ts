import { readdir, readFile } from 'node:fs/promises';

import { configKeys } from '@code-executor/config';
import { createMetrics } from '@code-executor/metrics';
import { afterAll, describe, expect, test } from '@jest/globals';

import { executorScenes } from './executors.js';
import { httpScenes } from './http.js';
import { metricScenes } from './metrics.js';
import { policyScenes } from './policy.js';
import { poolScenes } from './pool.js';
import { readings } from './readings.js';
import { recordScenes } from './record.js';
import { sandboxScenes } from './sandbox.js';
import type { Scene } from './scene.js';
import { securityScenes } from './security.js';
import { serverScenes } from './servers.js';
import { problemOf, startScenes } from './start.js';
import { telemetryScenes } from './telemetry.js';
import { toolListScenes } from './tool-lists.js';

const keys = configKeys();
/** By the keys that they set. */
const variables = new Map(keys.flatMap(({ key, env }) => (env === undefined ? [] : [[key, env] as const])));

const scenes: Scene[] = [
  ...startScenes,
  ...serverScenes,
  ...securityScenes,
  ...sandboxScenes,
  ...executorScenes,
  ...poolScenes,
  ...toolListScenes,
  ...policyScenes,
  ...httpScenes,
  ...recordScenes,
  ...telemetryScenes,
];
const withVariables = scenes
  .filter((scene) => scene.withVariables.length > 0)
  .map((scene) => scene.fromEnvironment(variables));
afterAll(() => Promise.all([...scenes, ...withVariables, ...metricScenes].map((scene) => scene.close())));

/** Fails where none shows it. */
async function show(setting: string, among: readonly Scene[]): Promise<void> {
  const scene = among.find(({ settings }) => settings.includes(setting));
  if (!scene) throw new Error(`Nothing in src/settings shows the effect of ${setting}; add it there.`);
  await scene.show(setting);
}

/** Nothing else reads the environment: what it asks for by name is not handed on to children alone, or sets a key. */
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
  test.each(settings)('%s', (setting) => show(setting, scenes));

  test.each([...variables].map(([key, variable]) => ({ key, variable })))(
    '$variable, and counts before the file',
    ({ key }) =>
      show(
        key,
        withVariables.filter((scene) => scene.withVariables.includes(key)),
      ),
  );

  test('and nothing is shown that is none', () => {
    const shown = scenes.flatMap((scene) => scene.settings);
    expect(shown.sort()).toEqual([...settings].sort());
  });
});

/** The metrics that there are, by name. */
async function metricNames(): Promise<string[]> {
  const servers: never[] = [];
  const none = { active: 0, waiting: 0, running: 0, hits: 0, misses: 0, servers };
  const read = () => none;
  const sandboxes = () => Promise.resolve([]);
  const text = await createMetrics({ pool: read, executor: read, cache: read, sandboxes }).render();
  return readings(text).names;
}

const names = await metricNames();

describe('each metric moves:', () => {
  test.each(names)('%s', (name) => show(name, metricScenes));

  test('and nothing is shown that is none', () => {
    const shown = metricScenes.flatMap((scene) => scene.settings);
    expect(shown.sort()).toEqual([...names].sort());
  });
});

/** A key of every object of the schema, misspelt: two letters have changed places. */
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

/** A server is left out alone; see libs/config. */
const isInServer = ({ wrong }: { wrong: string }) => wrong.startsWith('mcpServers.');

describe('an unknown key is an error at the start that names the nearest:', () => {
  test.each(misspelt().filter((each) => !isInServer(each)))('$wrong', async ({ wrong, right }) => {
    const config = wrong.split('.').reduceRight<unknown>((value, name) => ({ [name]: value }), 1);
    expect(await problemOf(config as object)).toContain(
      `${wrong} is not a known key; did you mean ${right}?`,
    );
  });
});

test('the reference tells of every variable', async () => {
  const pages = ['configuration.md', 'operations.md'].map((name) =>
    readFile(new URL(`../../../../docs/reference/${name}`, import.meta.url), 'utf8'),
  );
  const text = (await Promise.all(pages)).join('');
  const missing = [...settings.filter((name) => /^[A-Z]/.test(name)), ...variables.values()].filter(
    (name) => !text.includes(name),
  );
  expect(missing).toEqual([]);
});
