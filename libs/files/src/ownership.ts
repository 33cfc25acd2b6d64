/** The part of a file's status that says whose it is and who can write it. */
export interface Ownership {
  uid: number;
  gid: number;
  mode: number;
}

/**
 * Who may be able to write a file for it to be used:
 * - `anybody`: it is not looked at.
 * - `operator`: this user and root, and the group that is this user's own. People make such files, with any umask.
 * - `owner`: this user alone. The product makes such files.
 */
export type Writers = 'anybody' | 'operator' | 'owner';

/** Absent on Windows. */
const thisUser = () => {
  const [uid, gid] = [process.getuid?.(), process.getgid?.()];
  return uid === undefined || gid === undefined ? undefined : { uid, gid };
};

/** Why others than these could have written a file or folder; undefined where they could not, and on Windows. */
export function ownershipProblem(
  { uid, gid, mode }: Ownership,
  writableBy: Writers,
  user = thisUser(),
): string | undefined {
  if (user === undefined || writableBy === 'anybody') return undefined;
  const byOperator = writableBy === 'operator';
  if (uid !== user.uid && !(byOperator && uid === 0)) {
    return 'belongs to another user; make it your own with chown';
  }
  if ((mode & 0o002) !== 0) return 'can be written by every user; change that with chmod o-w';
  // Where each user has a group of their own, files are made writable for it by default.
  const isOwnGroup = gid === 0 || (gid === user.gid && user.gid === user.uid);
  if ((mode & 0o020) !== 0 && !(byOperator && isOwnGroup)) {
    return 'can be written by other users of its group; change that with chmod g-w';
  }
  return undefined;
}
