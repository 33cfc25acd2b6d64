/** The part of a file's status that says who owns it and who can write to it. */
export interface Ownership {
  uid: number;
  gid: number;
  mode: number;
}

/**
 * Who may be able to write to a file that is used:
 * - `anybody`: owner and permission bits are not checked.
 * - `operator`: this user, root, and this user's own group. For files that people create, with any umask.
 * - `owner`: only this user. For files that the product creates.
 */
export type Writers = 'anybody' | 'operator' | 'owner';

/** Undefined on Windows. */
const thisUser = () => {
  const [uid, gid] = [process.getuid?.(), process.getgid?.()];
  return uid === undefined || gid === undefined ? undefined : { uid, gid };
};

/** Says how other users could have written to a file or folder; undefined if they could not, and on Windows. */
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
  // On systems where each user has their own group, new files are often writable for that group.
  const isOwnGroup = gid === 0 || (gid === user.gid && user.gid === user.uid);
  if ((mode & 0o020) !== 0 && !(byOperator && isOwnGroup)) {
    return 'can be written by other users of its group; change that with chmod g-w';
  }
  return undefined;
}
