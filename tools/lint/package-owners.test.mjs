import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';

import { listProjects } from '../projects.mjs';
import { root } from '../run.mjs';
import { packageOwners } from './package-owners.mjs';

const projects = listProjects();

/** The inverted table of owners: each project with its packages, sorted. */
const owned = Object.fromEntries(
  projects.map(({ name }) => [
    name,
    Object.keys(packageOwners).filter((packageName) => packageOwners[packageName].includes(name)),
  ]),
);

test('lists exactly the third-party packages that some package.json depends on', () => {
  const dependedOn = projects.map(({ name, manifest: { dependencies, peerDependencies } }) => [
    name,
    Object.keys({ ...dependencies, ...peerDependencies })
      .filter((packageName) => !packageName.startsWith('@code-executor/'))
      .sort(),
  ]);
  assert.deepEqual(owned, Object.fromEntries(dependedOn));
});

test('agrees with the table of packages in docs/architecture.md', () => {
  const page = readFileSync(join(root, 'docs', 'architecture.md'), 'utf8');
  const rows = [...page.matchAll(/^\| `(?:apps|libs)\/(\S+)` *\|.*\|(.*)\|$/gm)];
  const documented = rows.map(([, name, packages]) => [
    name,
    [...packages.matchAll(/`([^`]+)`/g)].map((match) => match[1]).sort(),
  ]);
  assert.deepEqual(owned, Object.fromEntries(documented));
});
