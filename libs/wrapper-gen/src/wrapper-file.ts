import { createHash } from 'node:crypto';

/** What the index says of the module of one server. */
export interface WrapperModule {
  server: string;
  /** The server's name in code. */
  identifier: string;
}

/** One generated file. */
export interface WrapperFile {
  /** Where it belongs below the directory of the wrappers, with `/`: `typescript/mcp-github.ts`. */
  path: string;
  content: string;
  /** SHA-256 of the content in UTF-8, in hex. */
  hash: string;
  /** Absent for what all servers share. */
  module?: WrapperModule;
}

/** SHA-256 in hex. */
export function hashOf(content: string | Uint8Array): string {
  return createHash('sha256').update(content).digest('hex');
}

/** What a generated file can be called; nothing else in the folders is ours. */
const ownPath =
  /^(?:typescript\/(?:client|index|mcp-[a-z0-9-]{1,80})\.ts|python\/(?:_client|__init__|mcp_[a-z0-9_]{1,80})\.py)$/;

/** Whether a path may name a generated file. */
export function isWrapperPath(path: string): boolean {
  return ownPath.test(path);
}
