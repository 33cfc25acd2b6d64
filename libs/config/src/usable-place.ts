import { stat, statfs } from 'node:fs/promises';
import { dirname } from 'node:path';

import { systemCodeOf, within } from '@code-executor/contracts';

/** The kernel's own file systems, in which no file can be made: proc and sysfs. */
const withoutFiles: readonly number[] = [0x9fa0, 0x62656572];
/** A network disk may never answer. */
const maxAnswerMs = 5000;

/**
 * Why no file can ever be made at or below a path; undefined if that may work. Makes nothing, because an obstacle may be
 * temporary.
 */
export async function whyUnusable(path: string): Promise<string | undefined> {
  const answer = await within(maxAnswerMs, look(path));
  return answer === undefined ? `does not answer for ${maxAnswerMs / 1000} s` : answer.problem;
}

async function look(path: string): Promise<{ problem?: string }> {
  try {
    const { type } = await statfs(await nearestExisting(path));
    return withoutFiles.includes(type)
      ? { problem: 'is on a file system of the kernel, which keeps no files' }
      : {};
  } catch {
    // The part that writes there reports the problem.
    return {};
  }
}

async function nearestExisting(path: string): Promise<string> {
  try {
    await stat(path);
    return path;
  } catch (error) {
    const code = systemCodeOf(error);
    if ((code !== 'ENOENT' && code !== 'ENOTDIR') || dirname(path) === path) throw error;
    return nearestExisting(dirname(path));
  }
}
