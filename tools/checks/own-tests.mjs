/** Runs the tests of the tools themselves, with Node's test runner. */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { run as runFiles } from 'node:test';

import { root } from '../run.mjs';

/** Runs every `*.test.mjs` below a folder. Resolves with one check, which counts the tests. */
export async function runOwnTests(folder = join(root, 'tools')) {
  const files = readdirSync(folder, { recursive: true })
    .filter((file) => file.endsWith('.test.mjs'))
    .map((file) => join(folder, file));
  const check = { name: 'tools:test', passed: 0, failed: 0, detail: '' };
  const fail = (name, reason) => {
    check.failed++;
    check.detail += `✗ ${name}\n${reason}\n`;
  };
  for (const file of files) {
    const announced = [];
    let ended = 0;
    // File by file, because tests that a rule tester makes report its file as theirs.
    for await (const { type, data } of runFiles({ files: [file] })) {
      // The runner reports the file as a test, too.
      const isFile = data?.name === file;
      if (type === 'test:enqueue' && !isFile) announced.push(data.name);
      if (type !== 'test:pass' && type !== 'test:fail') continue;
      if (!isFile) ended++;
      const { error, type: kind } = data.details;
      if (type === 'test:fail') {
        // A group fails if one of its tests does, which is reported itself.
        if (error?.failureType !== 'subtestsFailed') fail(data.name, error?.cause?.stack ?? error?.message);
      } else if (data.skip || data.todo) fail(data.name, 'It was skipped.');
      else if (!isFile && kind !== 'suite') check.passed++;
    }
    // If a process ends early, with any exit code, the rest of its tests are missing.
    if (announced.length === 0) fail(file, 'It reported no test.');
    else if (ended < announced.length) fail(file, `${announced.length - ended} of its tests never ended.`);
  }
  return [check];
}
