import { stat } from 'node:fs/promises';
import { join } from 'node:path';

import { CodeExecutorError } from '@code-executor/contracts';
import { ownershipProblem, rewriteFile, unusableFile } from '@code-executor/files';
import * as z from 'zod';

import {
  type FileSearch,
  isOfProject,
  makeProductHome,
  maxConfigBytes,
  productHome,
  readOwnFile,
} from './config-file.js';

const fileName = 'trusted-projects.json';
const storeSchema = z.object({
  version: z.literal(1),
  files: z.record(z.string(), z.string().regex(/^sha256:[0-9a-f]{64}$/)),
});

/** Absolute paths of files in projects, and the SHA-256 of what the user has approved. */
export type TrustedFiles = ReadonlyMap<string, string>;

/** Where approvals are remembered; undefined for users without a home. */
export function trustStorePath(search: Omit<FileSearch, 'file'>): string | undefined {
  const folder = productHome(search);
  return folder === undefined ? undefined : join(folder, fileName);
}

/** What the user has approved. Rejects with `failed_precondition` for a list that others may have written. */
export async function readTrusted(search: Omit<FileSearch, 'file'>): Promise<TrustedFiles> {
  const path = trustStorePath(search);
  // A project that brings its own list approves itself.
  if (path === undefined || (await isOfProject(path, search))) return new Map();
  const text = await readOwnFile(path);
  if (text === undefined) return new Map();
  const folder = join(path, '..');
  const problem = ownershipProblem(await stat(folder), 'operator');
  if (problem !== undefined) throw unusableFile(folder, problem);
  return parse(text, path);
}

/** Changes the list; resolves when it is on disk. */
export async function changeTrusted(
  change: (files: Map<string, string>) => void,
  search: Omit<FileSearch, 'file'>,
): Promise<void> {
  const path = join(await makeProductHome(search), fileName);
  await rewriteFile(path, { maxBytes: maxConfigBytes }, (text) => {
    const files = text === undefined ? new Map<string, string>() : parse(text, path);
    change(files);
    return `${JSON.stringify({ version: 1, files: Object.fromEntries(files) }, undefined, 2)}\n`;
  });
}

function parse(text: string, path: string): Map<string, string> {
  try {
    return new Map(Object.entries(storeSchema.parse(JSON.parse(text)).files));
  } catch (error) {
    const message = `File ${path} is damaged; delete it, and trust your projects again.`;
    throw new CodeExecutorError('failed_precondition', message, { cause: error });
  }
}
