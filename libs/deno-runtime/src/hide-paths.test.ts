import { describe, expect, test } from '@jest/globals';

import { PathHider } from './hide-paths.js';

const home = '/srv/code-executor/run-1';

/** What a reader has seen after each chunk, and at the end. */
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

  test('replaces a path wherever the chunks split it', () => {
    const text = `in ${home}/a.txt, twice: ${home}`;
    for (let at = 0; at <= text.length; at++) {
      const states = shownAfter([text.slice(0, at), text.slice(at)]);
      expect(states.at(-1)).toBe('in /tmp/a.txt, twice: /tmp');
      expect(states.join()).not.toContain('/srv');
    }
  });

  test('replaces a path that comes character by character, also as a URL', () => {
    expect(shownAfter(Array.from(`at file://${home}/x.js:1`)).at(-1)).toBe('at /tmp/x.js:1');
  });

  test('shows what only began like a path as soon as it goes on otherwise', () => {
    expect(shownAfter(['see /srv/code', '-review'])).toEqual([
      'see ',
      'see /srv/code-review',
      'see /srv/code-review',
    ]);
  });

  test('shows the beginning of a path when nothing follows', () => {
    expect(shownAfter(['see /srv/co'])).toEqual(['see ', 'see /srv/co']);
  });

  test('replaces a path that begins like another one', () => {
    const hiddenPaths: [string, string][] = [
      ['/srv/a', '/app'],
      ['/a/b', '/tmp'],
    ];
    expect(shownAfter(['/srv/a', '/b'], hiddenPaths).at(-1)).toBe('/app/b');
    expect(shownAfter(['/srv/', 'a/b /a', '/b'], hiddenPaths).at(-1)).toBe('/app/b /tmp');
  });

  test('holds back less than one path, however much is printed', () => {
    const hider = new PathHider([[home, '/tmp']]);
    const text = home.slice(0, -1).repeat(1000);
    expect(text.length - hider.push(text).length).toBe(home.length - 1);
  });
});
