import type { SpawnOptions } from 'node:child_process';

import type { GrantedPath, IsolationMode } from '@code-executor/contracts';

import type { Grants } from './grants.js';
import type { ResourceLimits } from './resource-limits.js';

/** The walls around a process. */
export type Walls = Extract<IsolationMode, 'strict' | 'portable'>;

/** Files and folders of the host, by names without blanks and slashes. */
export type HostFiles = Readonly<Record<string, string>>;

/** Where a process finds what it was given. */
export interface Inside<Files extends HostFiles> {
  /** The path of its program. */
  program: string;
  /** The paths of `files`. */
  files: Files;
  /** A folder of its own that it can write to; it is removed when the process ends. */
  scratch: string;
}

/** What is to run behind walls, and what it may use. */
export interface IsolatedCommandOptions<Files extends HostFiles = HostFiles> {
  /** An executable of the host, and the name that it has inside. */
  program: { name: string; path: string };
  /** What the process may read, besides its program's shared libraries. In strict isolation it sees nothing else. */
  files: Files;
  /** The arguments of the program and its whole environment. */
  invoke(inside: Inside<Files>): { args: readonly string[]; env: Readonly<Record<string, string>> };
  /** Mounted only in strict isolation. In portable isolation, the program itself must restrict what it opens. */
  grants: Grants;
  limits: ResourceLimits;
}

/** A command line that is ready for `spawn`. */
export interface IsolatedCommand<Files extends HostFiles = HostFiles> {
  isolation: Walls;
  file: string;
  args: string[];
  spawnOptions: SpawnOptions & { env: Record<string, string> };
  /** Bytes for descriptor 3, which the command reads before the program starts. */
  filter?: Buffer;
  /** Open files and folders that the process inherits, as descriptors from 4 on. */
  handles?: readonly GrantedPath['handle'][];
  inside: Inside<Files>;
  /** Host paths that must not appear in output, each with the text to show instead. */
  hiddenPaths: readonly (readonly [path: string, shown: string])[];
  /** Bytes that the process has on disk now. Absent in strict isolation, where the file system has a fixed size. */
  diskBytes?(): Promise<number>;
  /** Removes what the command created on disk. */
  cleanUp(): Promise<void>;
}
