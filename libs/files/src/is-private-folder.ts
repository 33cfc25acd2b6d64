import { lstatSync } from 'node:fs';

/**
 * Whether the path is a folder, not a link to one, that only this user can enter. Check it before you use a folder in
 * the temp folder, because there any user can take a free name. On Windows every folder counts as private.
 */
export function isPrivateFolder(path: string): boolean {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  if (!stats?.isDirectory()) return false;
  return process.getuid === undefined || (stats.uid === process.getuid() && (stats.mode & 0o077) === 0);
}
