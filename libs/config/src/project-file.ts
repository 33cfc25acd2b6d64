import { createHash } from 'node:crypto';
import { basename, dirname, join, resolve } from 'node:path';

import { CodeExecutorError } from '@code-executor/contracts';
import { readRegularFile, unusableFile } from '@code-executor/files';

import { shorten } from './key-path.js';
import { isWithin, realPathOf } from './real-path.js';
import { readVariable } from './references.js';
import { readTrusted, type TrustedFiles } from './trust-store.js';

const maxBytes = 1024 * 1024;

/** A file that the working directory brings: a suggestion until its user trusts it. */
export interface ProjectFile {
  /** Absolute and without links. */
  path: string;
  /** Of the bytes that were read: `sha256:` and 64 digits. */
  sha256: string;
  isTrusted: boolean;
  /** Whether it is trusted because of `CODE_EXECUTOR_TRUST_PROJECT`. */
  byEnvironment: boolean;
}

export interface ReadProjectFile extends ProjectFile {
  /** The working directory that brings it. */
  folder: string;
  text: string;
  /** Whether an earlier content of it was trusted. */
  hasChanged: boolean;
}

export function withoutText({ path, sha256, isTrusted, byEnvironment }: ReadProjectFile): ProjectFile {
  return { path, sha256, isTrusted, byEnvironment };
}

export interface TrustOptions {
  /** The folder of relative paths and of the project's files. Default: the working directory. */
  cwd?: string;
  /** The user's home folder. Default: as the operating system says. */
  home?: string;
  /** Default: `process.env`. */
  env?: NodeJS.ProcessEnv;
  /** The SHA-256 of more trusted files, by path. With them, `CODE_EXECUTOR_TRUST_PROJECT` is ignored. */
  trusted?: TrustedFiles;
}

type TrustSearch = { cwd: string; home: string | undefined; env: NodeJS.ProcessEnv } & Pick<
  TrustOptions,
  'trusted'
>;

/** Decides which files of the working directory count. */
export class ProjectTrust {
  /** Why earlier approvals cannot be used. */
  readonly problem: string | undefined;
  readonly #folder: string;
  readonly #trusted: TrustedFiles;
  readonly #trustsAll: boolean;

  private constructor(folder: string, trusted: TrustedFiles, trustsAll: boolean, problem?: string) {
    this.#folder = folder;
    this.#trusted = trusted;
    this.#trustsAll = trustsAll;
    this.problem = problem;
  }

  static async load(search: TrustSearch): Promise<ProjectTrust> {
    const trustsAll = search.trusted === undefined && trustsProject(search.env);
    const folder = await realPathOf(resolve(search.cwd));
    try {
      const stored = await readTrusted(search);
      return new ProjectTrust(folder, new Map([...stored, ...(search.trusted ?? [])]), trustsAll);
    } catch (error) {
      const { message } = CodeExecutorError.from(error);
      return new ProjectTrust(folder, search.trusted ?? new Map(), trustsAll, message);
    }
  }

  /**
   * The file, and whether its content is trusted: the hashed bytes are those that are used. Undefined if there is none.
   * Rejects with `failed_precondition` for files that cannot be approved: links, files that others own or can write, and
   * files outside of the working directory.
   */
  async read(path: string): Promise<ReadProjectFile | undefined> {
    const place = join(await realPathOf(dirname(path)), basename(path));
    const file = await readRegularFile(place, { maxBytes, writableBy: 'operator' });
    if (!file) return undefined;
    if (!isWithin(place, this.#folder)) {
      throw unusableFile(place, 'lies outside of the working directory; name it by its absolute path');
    }
    const sha256 = `sha256:${createHash('sha256').update(file.bytes).digest('hex')}`;
    const known = this.#trusted.get(place);
    const isTrusted = this.#trustsAll || known === sha256;
    return {
      folder: this.#folder,
      path: place,
      sha256,
      isTrusted,
      byEnvironment: this.#trustsAll,
      text: file.text(),
      hasChanged: !isTrusted && known !== undefined,
    };
  }
}

/** Whether the environment approves the project, which is for machines without a user. */
function trustsProject(env: NodeJS.ProcessEnv): boolean {
  const text = readVariable(env, 'CODE_EXECUTOR_TRUST_PROJECT') ?? '';
  if (['1', 'true'].includes(text.toLowerCase())) return true;
  if (['', '0', 'false'].includes(text.toLowerCase())) return false;
  const problem = `CODE_EXECUTOR_TRUST_PROJECT is ${shorten(text)} (expected 1, or 0 or nothing).`;
  throw new CodeExecutorError('invalid_argument', problem);
}
