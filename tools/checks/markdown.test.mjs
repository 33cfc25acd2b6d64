import assert from 'node:assert/strict';
import { test } from 'node:test';

import { problemOf } from './code-blocks.mjs';
import { parseMarkdown } from './markdown.mjs';

const fence = '```';

test('finds blocks with language, info and line, including indented ones', () => {
  const { blocks } = parseMarkdown(
    ['# A', `${fence}ts no-run`, 'const a = 1;', fence, '- x', `  ${fence}json`, '  {}', `  ${fence}`].join(
      '\n',
    ),
  );
  const found = blocks.map(({ language, info, code, line }) => ({ language, info, code, line }));
  assert.deepEqual(found, [
    { language: 'ts', info: 'no-run', code: 'const a = 1;', line: 2 },
    { language: 'json', info: '', code: '{}', line: 6 },
  ]);
});

test('finds links outside code, and the anchors of headings', () => {
  const { links, anchors } = parseMarkdown(
    [
      '## The `way` of data, 1',
      '## The `way` of data, 1',
      'a [b](c.md#d) ![e](f.png) `[g](h)`',
      '[i]: j.md',
    ].join('\n'),
  );
  assert.deepEqual(
    links.map(({ target }) => target),
    ['c.md#d', 'f.png', 'j.md'],
  );
  assert.deepEqual([...anchors], ['the-way-of-data-1', 'the-way-of-data-1-1']);
});

test('finds paths in inline code, except patterns and placeholders', () => {
  const { paths } = parseMarkdown(
    'see `libs/a/src/b.ts`, `apps/*/src`, `libs/<name>`, `npm run x` and `tools/`',
  );
  assert.deepEqual(paths, [{ path: 'libs/a/src/b.ts', line: 1 }]);
});

test('accepts valid blocks of each language', () => {
  for (const [language, code] of [
    ['json', '{"a": [1]}'],
    ['jsonc', '{ // note\n "a": 1, }'],
    ['toml', '[a.b]\nc = "d"'],
    ['ts', 'const a: number = 1;\nreturn await a;'],
    ['bash', 'd=$(mktemp -d) && cd "$d"'],
    ['text', '```'],
  ]) {
    assert.equal(problemOf({ language, code }), undefined, `${language}: ${code}`);
  }
});

test('refuses invalid blocks, blocks without a language and unclosed blocks', () => {
  for (const block of [
    { language: 'json', code: '{ // note\n}' },
    { language: 'jsonc', code: '{ "a": }' },
    { language: 'toml', code: '[a\nb' },
    { language: 'ts', code: 'const = 1;' },
    { language: 'bash', code: 'if true; then' },
    { language: '', code: 'x' },
    parseMarkdown(`${fence}text\nx`).blocks[0],
  ]) {
    assert.equal(typeof problemOf(block), 'string', JSON.stringify(block));
  }
});
