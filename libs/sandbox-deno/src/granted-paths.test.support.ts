import { type FileHandle, open } from 'node:fs/promises';

import type { GrantedPath, GrantedPermissions } from '@code-executor/contracts';

/** The flag `O_PATH`. */
const pathOnly = 0o10000000;

/** Holds the granted paths open until `use` has settled, as the executor does. */
export async function withGranted<T>(
  { read = [], write = [] }: { read?: readonly string[]; write?: readonly string[] },
  use: (permissions: GrantedPermissions) => Promise<T>,
): Promise<T> {
  const handles: FileHandle[] = [];
  const hold = async (path: string): Promise<GrantedPath> => {
    const handle = await open(path, pathOnly);
    handles.push(handle);
    return { path, handle, hidden: [] };
  };
  try {
    return await use({
      read: await Promise.all(read.map(hold)),
      write: await Promise.all(write.map(hold)),
      net: [],
    });
  } finally {
    await Promise.all(handles.map((handle) => handle.close()));
  }
}
