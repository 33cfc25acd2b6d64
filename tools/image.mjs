/**
 * Builds the container image from this checkout: `node tools/image.mjs docker|podman [options of its build]`, such as
 * `node tools/image.mjs docker --tag code-executor`.
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { packAll } from './checks/installed-packages.mjs';
import { ensureBuilt } from './ensure-built.mjs';
import { listPackages } from './projects.mjs';
import { root } from './run.mjs';

const [engine, ...options] = process.argv.slice(2);
if (engine !== 'docker' && engine !== 'podman') {
  process.stderr.write('Usage: node tools/image.mjs docker|podman [options of its build]\n');
  process.exit(2);
}
await ensureBuilt();
const packages = mkdtempSync(join(tmpdir(), 'code-executor-image-'));
process.once('exit', () => rmSync(packages, { recursive: true, force: true }));
await packAll(listPackages(), packages);
const file = join(root, 'deploy', 'container', 'Dockerfile');
// Podman would leave HEALTHCHECK out of an image of its own format.
const format = engine === 'podman' ? ['--format', 'docker'] : [];
const { error, status } = spawnSync(engine, ['build', ...format, '--file', file, ...options, packages], {
  stdio: 'inherit',
});
if (error) process.stderr.write(`${error.message}\n`);
process.exitCode = status ?? 1;
