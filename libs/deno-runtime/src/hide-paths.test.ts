import { describe, expect, test } from '@jest/globals';

import { PathHider } from './hide-paths.js';

const home = '/srv/code-executor/run-1';

/** What was shown after each chunk, and at the end. */
function shownAfter(chunks: string[], hiddenPaths: [string, string][] = [[home, '/tmp']]): string[] {
  const hider = new PathHider(hiddenPaths);
  let shown = '';
  const states = chunks.map((chunk) => (shown += hider.push(chunk)));
  return [...states, shown + hider.end()];
}

describe('PathHider', () => {
  test('shows text without paths at once', () => {
    expect(shownAfter(['one ', 'two'])).toEqual(['one ', 'one two', 'one two']);
  });

  test('replaces a path, wherever it is split into chunks', () => {
    const text = `in ${home}/a.txt, twice: ${home}`;
    for (let at = 0; at <= text.length; at++) {
      const states = shownAfter([text.slice(0, at), text.slice(at)]);
      expect(states.at(-1)).toBe('in /tmp/a.txt, twice: /tmp');
      expect(states.join()).not.toContain('/srv');
    }
  });

  test('replaces a path in a file URL that arrives character by character', () => {
    expect(shownAfter(Array.from(`at file://${home}/x.js:1`)).at(-1)).toBe('at /tmp/x.js:1');
  });

  test('shows text that only began like a path as soon as it differs', () => {
    expect(shownAfter(['see /srv/code', '-review'])).toEqual([
      'see ',
      'see /srv/code-review',
      'see /srv/code-review',
    ]);
  });

  test('shows the beginning of a path at the end of the output', () => {
    expect(shownAfter(['see /srv/co'])).toEqual(['see ', 'see /srv/co']);
  });

  test('replaces paths that overlap', () => {
    const hiddenPaths: [string, string][] = [
      ['/srv/a', '/app'],
      ['/a/b', '/tmp'],
    ];
    expect(shownAfter(['/srv/a', '/b'], hiddenPaths).at(-1)).toBe('/app/b');
    expect(shownAfter(['/srv/', 'a/b /a', '/b'], hiddenPaths).at(-1)).toBe('/app/b /tmp');
  });

  test('never holds back more than the beginning of one path', () => {
    const hider = new PathHider([[home, '/tmp']]);
    const text = home.slice(0, -1).repeat(1000);
    expect(text.length - hider.push(text).length).toBe(home.length - 1);
  });
});
