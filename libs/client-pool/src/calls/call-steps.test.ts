import { readFileSync } from 'node:fs';

import { expect, test } from '@jest/globals';

import { callSteps } from './call-steps.js';

test('docs/architecture.md lists the steps around a call in their order', () => {
  const page = readFileSync(new URL('../../../../docs/architecture.md', import.meta.url), 'utf8');
  const listed = [...page.matchAll(/^\| `([^`]+)` +\| \[[^\]]+\]\(\.\.\/libs\/client-pool\//gm)].map(
    ([, name]) => name,
  );
  expect(listed).toEqual(callSteps.map(({ name }) => name));
});
