/** The projects of this repository. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import { root } from './run.mjs';

/** Every project as `{ name, folder, path, manifest }`: `proxy`, `libs/proxy`, its absolute path, its package.json. */
export function listProjects() {
  return ['apps', 'libs'].flatMap((parent) =>
    readdirSync(join(root, parent))
      .filter((name) => existsSync(join(root, parent, name, 'package.json')))
      .map((name) => {
        const path = join(root, parent, name);
        const manifest = JSON.parse(readFileSync(join(path, 'package.json'), 'utf8'));
        return { name, folder: `${parent}/${name}`, path, manifest };
      }),
  );
}

/** The projects that are published, which are those that are not private. */
export function listPackages() {
  return listProjects().filter(({ manifest }) => manifest.private !== true);
}
