import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { test } from 'node:test';

import { listProjects } from '../projects.mjs';
import { root } from '../run.mjs';

// Without the input, Nx would use its cache even if the document has changed.
test('every document that the tests of a project read is an input of their Nx task', () => {
  for (const { path, manifest } of listProjects()) {
    const inputs = (manifest.nx.namedInputs?.documents ?? []).map((input) =>
      input.replace('{workspaceRoot}/', ''),
    );
    for (const document of documentsReadBelow(path)) {
      const isInput = inputs.some((input) => document.startsWith(input.replace('/**/*', '')));
      assert.ok(
        isInput,
        `${path} reads ${document}: name it in nx.namedInputs.documents of its package.json.`,
      );
    }
  }
});

/** The documents outside of a project that its tests name, as paths from the root of the repository. */
function documentsReadBelow(project) {
  const tests = readdirSync(join(project, 'src'), { recursive: true }).filter((file) =>
    file.endsWith('.test.ts'),
  );
  return tests.flatMap((file) => {
    const path = join(project, 'src', file);
    const names = readFileSync(path, 'utf8').matchAll(/['"`]((?:\.\.\/)+[\w/-]*(?:\.md|\$\{))/g);
    return [...names]
      .map(([, name]) => relative(root, resolve(path, '..', name.replace('${', ''))))
      .filter((name) => !name.startsWith(relative(root, project)));
  });
}
