import { lstatSync } from 'node:fs';

/**
 * Whether it is a folder, and no link to one, that nobody but this user can enter: in the temp folder, anybody may take
 * a name that is free. On Windows every folder is.
 */
export function isPrivateFolder(path: string): boolean {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  if (!stats?.isDirectory()) return false;
  return process.getuid === undefined || (stats.uid === process.getuid() && (stats.mode & 0o077) === 0);
}
