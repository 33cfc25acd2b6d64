import { readFileSync } from 'node:fs';

import { createContentFilter } from '@code-executor/content-filter';

const chars = 100 * 1024;
const documents = ['README.md', 'docs/architecture.md', 'docs/performance.md', 'package-lock.json'];

/** Texts that cost most for what they are, among them all that have made expressions of others stall. */
const baits = [
  ...['a', 'a.', 'a@', 'a@a.', `${'a.'.repeat(31)}@ `, 'sk-', 'sk-ant-', 'xoxb-', 'eyJ', 'eyJ.', 'MT', 'SG.'],
  ...['4', '4111 ', '1-', '://', '://a:', '-', '-----BEGIN ', '-----BEGIN PRIVATE KEY-----\n', '\\n', '%20'],
  ...['Bearer ', 'Authorization: Basic ', 'secret_access_key  ', '?sig='],
];

/** How long the content filter takes for 100 KB. */
export const filter = {
  name: 'filter',
  what: 'the content filter on 100 KB of documents and code, on the worst of hostile texts, on 10 MB: milliseconds per 100 KB',
  rounds: 9,
  open() {
    const { scan } = createContentFilter();
    const ordinary = documents.map((name) =>
      readFileSync(new URL(`../../../${name}`, import.meta.url), 'utf8'),
    );
    const hostile = [...baits.map((bait) => filled(bait, chars)), `${'a'.repeat(50_000)}!`];
    const large = filled(ordinary.join('\n'), 10 * 1024 * 1024);
    return {
      ordinary: () => msPer100Kb(scan, ordinary.join('\n')),
      hostile: () => Math.max(...hostile.map((text) => msPer100Kb(scan, text))),
      large: () => msPer100Kb(scan, large),
    };
  },
  rows: [
    { label: 'ordinary text, ms', atMost: 2, ratio: ({ ordinary }) => ordinary, shows: ['ordinary'] },
    { label: 'hostile text, ms', atMost: 50, ratio: ({ hostile }) => hostile, shows: ['hostile'] },
    { label: '10 MB, ms', atMost: 50, ratio: ({ large }) => large, shows: ['large'] },
  ],
};

function filled(text, length) {
  return text.repeat(Math.ceil(length / text.length)).slice(0, length);
}

function msPer100Kb(scan, text) {
  const started = performance.now();
  scan(text);
  return ((performance.now() - started) / text.length) * chars;
}
