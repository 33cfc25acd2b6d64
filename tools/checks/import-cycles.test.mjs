import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { test } from 'node:test';

import { checkImportCycles } from './import-cycles.mjs';

/** The cycles in a repository with these files, one per line. */
function cyclesOf(files) {
  const root = mkdtempSync(join(tmpdir(), 'import-cycles-'));
  try {
    for (const [name, text] of Object.entries({ 'apps/a/x.ts': '', 'libs/b/x.ts': '', ...files })) {
      mkdirSync(dirname(join(root, name)), { recursive: true });
      writeFileSync(join(root, name), text);
    }
    return checkImportCycles(root).detail;
  } finally {
    rmSync(root, { recursive: true });
  }
}

test('accepts imports that lead in one direction', () => {
  const files = { 'libs/b/a.ts': "import './b.js'; import './c.js';", 'libs/b/b.ts': "import './c.js';" };
  assert.equal(cyclesOf({ ...files, 'libs/b/c.ts': "import 'node:fs';" }), '');
});

test('names the files of a cycle in order, once', () => {
  const files = { 'libs/b/a.ts': "import './b.js';", 'libs/b/b.ts': "import './c.js';" };
  assert.equal(
    cyclesOf({ ...files, 'libs/b/c.ts': "import './a.js';" }),
    'libs/b/a.ts → libs/b/b.ts → libs/b/c.ts → libs/b/a.ts',
  );
});

for (const [form, text] of Object.entries({
  'import type': "import type { A } from './a.js';",
  'inline type import': "import { type A } from './a.js';",
  'import()': "await import('./a.js');",
  'type of an import': "let a: import('./a.js').A;",
  'export from': "export * from './a.js';",
})) {
  test(`finds a cycle that ${form} closes`, () => {
    const files = { 'libs/b/a.ts': "import './b.js';", 'libs/b/b.ts': text };
    assert.equal(cyclesOf(files), 'libs/b/a.ts → libs/b/b.ts → libs/b/a.ts');
  });
}

test('finds a cycle between packages whose files have none', () => {
  const files = {
    'libs/b/a.ts': "import '@code-executor/c';",
    'libs/c/c.ts': "import '@code-executor/b/testing';",
  };
  assert.equal(cyclesOf(files), 'b → c → b');
});
