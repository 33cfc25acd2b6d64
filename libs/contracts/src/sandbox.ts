import type { ErrorCode } from './error.js';
import type { HttpFetcher } from './http-fetcher.js';
import type { JsonValue } from './json.js';
import type { ContentBlock, ToolHit, ToolSource } from './tool.js';

/** The name of a programming language, in lower case: `typescript`. */
export type Language = string;

/**
 * How a sandbox is isolated: `strict` adds a layer of the operating system to the runtime's own permissions,
 * `portable` has the runtime's permissions and resource limits, and `container` is a container.
 */
export type IsolationMode = 'strict' | 'portable' | 'container';

/** What a caller wants an execution to reach beyond its tools. The default is nothing. */
export interface Permissions {
  /** Absolute paths of files and folders that may be read. */
  read: readonly string[];
  /** Absolute paths of files and folders that may be read and written. */
  write: readonly string[];
  /** Hosts (`api.example.com`, `api.example.com:8443`) that `fetch` may reach through the server. */
  net: readonly string[];
}

/** A file or folder that a program may open: always the same one, even if its name leads elsewhere by then. */
export interface GrantedPath {
  /** What the program calls it: absolute and normalised. */
  path: string;
  /** An `O_PATH` descriptor of it that stays open until the execution has ended; `fd` is −1 once it is closed. */
  readonly handle: { readonly fd: number };
  /** Files and folders inside it that are not granted with it, as absolute paths that begin with `path`. */
  hidden: readonly { path: string; isFolder: boolean }[];
}

/** What an execution may reach beyond its tools. */
export interface GrantedPermissions {
  read: readonly GrantedPath[];
  /** These may be read, too; nothing in them is hidden. */
  write: readonly GrantedPath[];
  /** Hosts, as in {@link Permissions}. */
  net: readonly string[];
}

export const noPermissions: Permissions & GrantedPermissions = Object.freeze({
  read: [],
  write: [],
  net: [],
});

/** A piece of what the program printed. */
export interface OutputChunk {
  stream: 'stdout' | 'stderr';
  text: string;
}

/** Whether a run waits for a person. */
export interface RunPause {
  readonly isPaused: boolean;
  /** Calls the listener at each change. */
  onChange(listener: () => void): void;
}

export interface ExecutionRequest {
  code: string;
  /** Wall-clock limit in milliseconds, from the start of the program; the clock stands still during a `pause`, for ten minutes in all. */
  timeoutMs: number;
  /** Default: the run never waits for a person. */
  pause?: RunPause;
  permissions: GrantedPermissions;
  tools: ToolSource<ToolHit>;
  /** Serves `permissions.net`; without it, network grants are refused. */
  fetcher?: HttpFetcher;
  onOutput?: (chunk: OutputChunk) => void;
  /** Ends the execution with status `cancelled`. */
  signal?: AbortSignal;
}

export type ExecutionStatus = 'succeeded' | 'failed' | 'timed_out' | 'cancelled';

/**
 * Why an execution did not succeed: a code of the host, or one of the program's own failures:
 * `user_error` it threw; `out_of_memory`; `ended_early` it exited, or had nothing left to do, before its value
 * was there; `not_serializable` its value is not JSON.
 */
export type ExecutionErrorCode =
  ErrorCode | 'user_error' | 'out_of_memory' | 'ended_early' | 'not_serializable';

export interface ExecutionError {
  code: ExecutionErrorCode;
  /** The message and the user's own stack lines, free of host paths. */
  message: string;
}

export interface ExecutionResult {
  status: ExecutionStatus;
  stdout: string;
  stderr: string;
  /** The program's value; absent if it has none. */
  value?: JsonValue;
  /** Why `value` is a text form or was cut. */
  valueNote?: string;
  /** Pictures that the program shows. */
  content?: ContentBlock[];
  error?: ExecutionError;
  durationMs: number;
  /** Milliseconds until the program began; close to 0 if a process was waiting for it. */
  startupMs?: number;
  /** True if the output or the value was cut. */
  truncated: boolean;
  isolation: IsolationMode;
}

/** What a sandbox can do on this machine. */
export interface SandboxStatus {
  language: Language;
  /** The mode executions get; absent if none can run. */
  isolation?: IsolationMode;
  /** Why no execution can run, or why a weaker mode than `strict` is used, and what to do about it. */
  note?: string;
  /** Unused processes that wait for a program, and their memory together, in MiB. */
  spares?: { ready: number; memoryMb: number };
}

/** Runs untrusted code. Failures of that code are results; only host faults are thrown. */
export interface Sandbox {
  readonly language: Language;
  execute(request: ExecutionRequest): Promise<ExecutionResult>;
  /** Finds out once, by trying it, what works here. */
  status(): Promise<SandboxStatus>;
  close(): Promise<void>;
}
