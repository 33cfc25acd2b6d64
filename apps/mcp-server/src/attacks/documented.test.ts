import { readFileSync } from 'node:fs';

import { expect, test } from '@jest/globals';

import { attacks } from './catalogue.js';

const document = new URL('../../../../docs/security/attacks.md', import.meta.url);

test('docs/security/attacks.md has a row for each attack, and no other', () => {
  // Markdown escapes some characters; none of the texts has a backslash of its own.
  const text = readFileSync(document, 'utf8').replaceAll('\\', '');
  const rows = [...text.matchAll(/^\| [A-Z]+-\d+ .*\|$/gm)].map(([row]) =>
    row
      .slice(1, -1)
      .split('|')
      .map((cell) => cell.trim()),
  );
  expect(rows).toEqual(
    attacks.map(({ id, what, stoppedBy, notApplicable }) => {
      const inMode = (mode: 'strict' | 'portable') => {
        const reason = notApplicable?.[mode];
        return reason === undefined ? 'held' : `n/a: ${reason}`;
      };
      return [id, what, inMode('strict'), inMode('portable'), stoppedBy];
    }),
  );
});

test('each attack has an id of its own', () => {
  const ids = attacks.map(({ id }) => id);
  expect(ids.filter((id, index) => ids.indexOf(id) !== index)).toEqual([]);
});
