import { readFile } from 'node:fs/promises';

import { describe, expect, test } from '@jest/globals';

import { type ConfigKey, configKeys } from './config-keys.js';

const reference = new URL('../../../docs/reference/configuration.md', import.meta.url);

describe('configKeys', () => {
  test('names every key with its type, meaning and variable', () => {
    const keys = new Map(configKeys().map((entry) => [entry.key, entry]));
    expect(keys.size).toBe(configKeys().length);
    expect(keys.get('pool.maxConcurrent')).toEqual({
      key: 'pool.maxConcurrent',
      type: 'integer from 1 to 1000',
      description: 'Tool calls to upstream servers at once. Default: 100.',
      env: 'POOL_MAX_CONCURRENT',
    });
    expect(keys.get('policy.servers.<name>.deny')?.type).toBe('array of non-empty strings');
    expect(keys.get('mcpServers.<name>.env')?.type).toBe('object of strings');
    for (const { description } of keys.values()) expect(description).toMatch(/\.$/);
  });

  test('matches the keys on the reference page', async () => {
    const page = await readFile(reference, 'utf8');
    const rows = page
      .split('\n')
      .filter((line) => /^\| `[a-z]/.test(line) && line.split(/(?<!\\)\|/).length === 6)
      .map((line) =>
        line
          .split(/(?<!\\)\|/)
          .slice(1, -1)
          .map((cell) => cell.trim().replaceAll('\\|', '|')),
      );
    expect(rows).toEqual(configKeys().map(row));
  });
});

function row({ key, type, description, env }: ConfigKey): string[] {
  return [`\`${key}\``, type, description, env === undefined ? '' : `\`${env}\``];
}
