/** Packs the packages and installs them into an empty folder outside the repository, as users do. */
import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { runNpm } from '../run.mjs';

/** Calls `work` with a temporary folder, which is removed afterwards. An error becomes a failed check. */
export async function inTemporaryFolder(name, work) {
  const folder = await realpath(await mkdtemp(join(tmpdir(), `code-executor-${name}-`)));
  try {
    return await work(folder);
  } catch (error) {
    return [check(name, error.message)];
  } finally {
    // Retried, because processes that were started there may end a moment later.
    await rm(folder, { recursive: true, force: true, maxRetries: 10 });
  }
}

/** Creates a check, which has failed if there is a problem; `note` is what was measured. */
export function check(name, problem, note) {
  return { name, passed: problem ? 0 : 1, failed: problem ? 1 : 0, detail: problem, note };
}

/** The tarball of each project, as npm describes it, with its `path` and the paths of its `files`. */
export async function packAll(projects, folder) {
  const flags = projects.map((project) => `--workspace=${project.folder}`);
  const npm = await runNpm(['pack', ...flags, '--json', '--pack-destination', folder]);
  if (npm.code !== 0) throw new Error(`npm pack failed:\n${npm.output}`);
  const listing = Object.values(JSON.parse(npm.stdout));
  return projects.map(({ manifest }) => {
    const entry = listing.find((candidate) => candidate.name === manifest.name);
    return { ...entry, path: join(folder, entry.filename), files: entry.files.map((file) => file.path) };
  });
}

/** Creates the folder and installs tarballs into it. */
export async function installAll(folder, packed) {
  await mkdir(folder);
  await writeFile(join(folder, 'package.json'), '{ "private": true, "type": "module" }\n');
  const flags = ['--prefer-offline', '--no-audit', '--no-fund'];
  const npm = await runNpm(['install', ...flags, ...packed.map((tarball) => tarball.path)], { cwd: folder });
  return check('npm install of all packages', npm.code === 0 ? '' : npm.output);
}
