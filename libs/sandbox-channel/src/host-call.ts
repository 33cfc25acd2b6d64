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
   * Answers a call. It must validate `params` itself, because they are claims of untrusted code. The answer is JSON; a
   * list may be a `JsonList`, and a text a `ResultText`.
   */
  answer(params: JsonObject, context: HostCallContext, signal: AbortSignal): Promise<unknown>;
  /** How many of its calls are answered at once; others wait until the program has read replies. Default 4. */
  maxAtOnce?: number;
}

/** Host calls by name. */
export type HostCallTable = ReadonlyMap<string, HostCall>;

/** What one program can reach with host calls. */
export interface ProgramReach {
  tools: ToolSource<ToolHit>;
  /** Undefined if the program has no network. */
  fetcher: HttpFetcher | undefined;
  /** The hosts that `fetcher` may reach. */
  net: readonly string[];
  /** Undefined if the program opens its files itself, or has none. */
  files: ServedFiles | undefined;
}

/** Granted files that the server opens for a program. */
export interface ServedFiles {
  grants: Pick<GrantedPermissions, 'read' | 'write'>;
  /** Whether a file or folder of this name is never served, whatever folder it is in. */
  isWithheld: (name: string) => boolean;
}

/** What the host calls of one program have access to. */
export interface HostCallContext extends ProgramReach {
  /** Finds the tools that the program names by paths. */
  toolPaths: ToolPaths;
  /** The pictures that the program has shown so far. */
  pictures: ShownPictures;
}
