import type {
  GrantedPermissions,
  HttpFetcher,
  JsonObject,
  ToolHit,
  ToolSource,
} from '@code-executor/contracts';

import type { ShownPictures } from './calls/shown-pictures.js';
import type { ToolPaths } from './calls/tool-paths.js';

/** One thing that a program may ask the server for. */
export interface HostCall {
  /**
   * Answers a call. It judges `params` itself, because they are claims of untrusted code. The answer is JSON; a list
   * may be a `JsonList`, a text a `ResultText`.
   */
  answer(params: JsonObject, context: HostCallContext, signal: AbortSignal): Promise<unknown>;
  /** Calls of it that are answered at once; further ones wait until replies were read. Default 4. */
  maxAtOnce?: number;
}

/** Host calls by name. */
export type HostCallTable = ReadonlyMap<string, HostCall>;

/** What one program may reach by host calls. */
export interface ProgramReach {
  tools: ToolSource<ToolHit>;
  /** Without one, there is no network. */
  fetcher: HttpFetcher | undefined;
  /** The hosts that `fetcher` may reach. */
  net: readonly string[];
  /** Undefined where the program opens its files itself, or has none. */
  files: ServedFiles | undefined;
}

/** Granted files that the server opens for a program. */
export interface ServedFiles {
  grants: Pick<GrantedPermissions, 'read' | 'write'>;
  /** Whether a file or folder of this name is never served, whatever it lies in. */
  isWithheld: (name: string) => boolean;
}

/** What the host calls of one program are answered from. */
export interface HostCallContext extends ProgramReach {
  /** Finds the tools that the program means by paths. */
  toolPaths: ToolPaths;
  /** What it has shown so far. */
  pictures: ShownPictures;
}
