import {
  fstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect } from '@jest/globals';
import { noPermissions, type Permissions } from '@code-executor/contracts';
import { recordingLogger } from '@code-executor/contracts/testing';
import { type ExecutionGrants, PermissionCeiling } from './permission-ceiling.js';

export let root: string;
export let data: string;
export let logger: ReturnType<typeof recordingLogger>;
export const open: PermissionCeiling[] = [];
beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'grants-')));
  data = join(root, 'data');
  mkdirSync(join(data, 'sub'), { recursive: true });
  mkdirSync(join(root, 'data-old'));
  writeFileSync(join(data, 'file.txt'), 'x');
  writeFileSync(join(root, 'secret.txt'), 'x');
  symlinkSync(join(root, 'secret.txt'), join(data, 'way-out'));
  symlinkSync(join(root, 'nowhere'), join(data, 'dangling'));
  symlinkSync('sub', join(data, 'way-in'));
  symlinkSync(data, join(root, 'alias'));
  logger = recordingLogger();
});
afterEach(() => {
  for (const ceiling of open.splice(0)) ceiling.close();
  rmSync(root, { recursive: true });
});

export const ceilingOf = (grants?: ExecutionGrants) => {
  const ceiling = new PermissionCeiling(grants, logger);
  open.push(ceiling);
  return ceiling;
};
/** What was granted by which name, and what it is: names of a folder's entries, or a file's content. */
export const cutBy = async (ceiling: PermissionCeiling, asked: Partial<Permissions>) => {
  const { permissions, notes, release } = await ceiling.cut({ ...noPermissions, ...asked });
  const { read, write } = permissions;
  const paths = (granted: typeof read) => granted.map(({ path }) => path);
  const things = [...read, ...write].map(({ handle: { fd } }) => contentOf(fd));
  const hidden = read.flatMap((each) => each.hidden);
  await release();
  const closed = [...read, ...write].map(({ handle }) => handle.fd);
  expect(closed).toEqual(closed.map(() => -1));
  return { read: paths(read), write: paths(write), net: permissions.net, notes, things, hidden };
};
export const cut = (asked: Partial<Permissions>, grants?: ExecutionGrants) => cutBy(ceilingOf(grants), asked);
export const read = (paths: string[], allowRead = [data]) => cut({ read: paths }, { allowRead });

export function contentOf(descriptor: number): string[] | string {
  const path = `/proc/self/fd/${descriptor}`;
  return fstatSync(descriptor).isDirectory() ? readdirSync(path) : readFileSync(path, 'utf8');
}

export function descriptors(): number {
  return readdirSync('/proc/self/fd').length;
}
