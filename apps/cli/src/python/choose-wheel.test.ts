import { describe, expect, test } from '@jest/globals';

import { chooseWheel } from './choose-wheel.js';
import type { OfferedWheel, PackageIndex } from './package-index.js';
import { parseRequirement } from './requirement.js';
import { Target } from './target.js';

const target = new Target({
  abi_version: '2026_0',
  arch: 'wasm32',
  platform: 'emscripten_4_0',
  python: '3.14.0',
});

/** The version that is chosen from an index that has these versions; those in `yanked` are withdrawn. */
async function chosen(requirement: string, versions: readonly string[], yanked: readonly string[]) {
  const offers = versions.map((version): OfferedWheel => ({
    fileName: `sample-${version}-py3-none-any.whl`,
    url: new URL('https://index.example/x'),
    isYanked: yanked.includes(version),
  }));
  const index: PackageIndex = {
    name: 'index',
    offers: () => Promise.resolve(offers),
    read: () => Promise.reject(new Error('nothing is read')),
  };
  return (await chooseWheel(index, parseRequirement(requirement), target)).fileName.split('-')[1];
}

describe('chooseWheel', () => {
  const versions = ['1.0', '1.1', '1.2'];

  test.each([
    ['sample', '1.1'],
    ['sample>=1.1', '1.1'],
    ['sample==1.*', '1.1'],
    ['sample==1.2', '1.2'],
    ['sample===1.2', '1.2'],
  ])('chooses for %s, if 1.2 is withdrawn, version %s', async (requirement, version) => {
    expect(await chosen(requirement, versions, ['1.2'])).toBe(version);
  });

  test('rejects when all suitable versions are withdrawn', async () => {
    await expect(chosen('sample>=1.1', versions, ['1.1', '1.2'])).rejects.toMatchObject({
      code: 'not_found',
    });
  });
});
