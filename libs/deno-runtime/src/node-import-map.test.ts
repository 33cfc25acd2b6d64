import { expect, test } from '@jest/globals';

import { nodeImportMap } from './node-import-map.js';

test('adds the prefix to modules that can be imported without it, and to no others', () => {
  const names = ['_http_agent', 'fs', 'fs/promises', 'node:sqlite', 'node:test/reporters'];
  expect(nodeImportMap(names)).toEqual({ imports: { fs: 'node:fs', 'fs/promises': 'node:fs/promises' } });
});
