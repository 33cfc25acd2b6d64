/** The tests of the tools themselves, with Node's own runner. */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { run as runFiles } from 'node:test';

import { root } from '../run.mjs';

export async function runOwnTests() {
  const tools = join(root, 'tools');
  const files = readdirSync(tools, { recursive: true })
    .filter((file) => file.endsWith('.test.mjs'))
    .map((file) => join(tools, file));
  const check = { name: 'tools:test', passed: 0, failed: 0, detail: '' };
  for await (const { type, data } of runFiles({ files })) {
    if (data?.details?.type === 'suite') continue;
    if (type === 'test:pass' && !data.skip && !data.todo) check.passed++;
    if (type === 'test:fail' || (type === 'test:pass' && (data.skip || data.todo))) {
      check.failed++;
      const { error } = data.details;
      check.detail += `✗ ${data.name}\n${error?.cause?.stack ?? error?.message ?? 'It was skipped.'}\n`;
    }
  }
  return [check];
}
