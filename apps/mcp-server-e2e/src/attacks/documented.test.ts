import { readFileSync } from 'node:fs';

import { expect, test } from '@jest/globals';

import { attacks, attacksRunOnce } from './all-attacks.js';

const document = new URL('../../../../docs/security/attacks.md', import.meta.url);

test('docs/security/attacks.md has a row for each attack, and no other', () => {
  // Markdown escapes some characters; no text contains a backslash itself.
  const text = readFileSync(document, 'utf8').replaceAll('\\', '');
  const rows = [...text.matchAll(/^\| [A-Z]+-\d+ .*\|$/gm)].map(([row]) =>
    row
      .slice(1, -1)
      .split('|')
      .map((cell) => cell.trim()),
  );
  const inModes = attacks.map(({ id, what, stoppedBy, notApplicable }) => {
    const inMode = (mode: 'strict' | 'portable') => {
      const reason = notApplicable?.[mode];
      return reason === undefined ? 'held' : `n/a: ${reason}`;
    };
    return [id, what, inMode('strict'), inMode('portable'), stoppedBy];
  });
  const once = attacksRunOnce.map(({ id, what, stoppedBy }) => [id, what, 'held', stoppedBy]);
  expect(rows).toEqual([...inModes, ...once]);
});

test('SECURITY.md names only attacks that exist', () => {
  const text = readFileSync(new URL('../../../../SECURITY.md', import.meta.url), 'utf8');
  const named = [...text.matchAll(/\b[A-Z]{2,3}-\d\d\b/g)].map(([id]) => id);
  const ids = new Set([...attacks, ...attacksRunOnce].map(({ id }) => id));
  expect(named.length).toBeGreaterThan(60);
  expect(named.filter((id) => !ids.has(id))).toEqual([]);
});

test('no two attacks have the same id', () => {
  const ids = [...attacks, ...attacksRunOnce].map(({ id }) => id);
  expect(ids.filter((id, index) => ids.indexOf(id) !== index)).toEqual([]);
});
