/** The packages as users get them: packed, and installed into an empty folder outside the repository. */
import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { runNpm } from '../run.mjs';

/** Gives `work` a new folder, which is gone afterwards; a failure becomes a check that failed. */
export async function inTemporaryFolder(name, work) {
  const folder = await realpath(await mkdtemp(join(tmpdir(), `code-executor-${name}-`)));
  try {
    return await work(folder);
  } catch (error) {
    return [check(name, error.message)];
  } finally {
    // What was started there may end a moment later.
    await rm(folder, { recursive: true, force: true, maxRetries: 10 });
  }
}

/** A check that failed if there is a problem; `note` holds what was measured. */
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

/** Installs tarballs into the folder, which is made. */
export async function installAll(folder, packed) {
  await mkdir(folder);
  await writeFile(join(folder, 'package.json'), '{ "private": true, "type": "module" }\n');
  const flags = ['--prefer-offline', '--no-audit', '--no-fund'];
  const npm = await runNpm(['install', ...flags, ...packed.map((tarball) => tarball.path)], { cwd: folder });
  return check('npm install of all packages', npm.code === 0 ? '' : npm.output);
}
