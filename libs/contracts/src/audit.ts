import type { Caller } from './caller.js';
import type { ErrorCode } from './error.js';
import type { IsolationMode, Language } from './sandbox.js';

// Arguments, prompts and code never appear in an event, at most their SHA-256 in hexadecimal. The log bounds the length
// of names and lists, so that those who report an event need not.

interface Event {
  /** When, as ISO 8601 in UTC with milliseconds. */
  timestamp: string;
}

/** When something happened, and whose work caused it. */
export interface EventMarks extends Event {
  /** 32 hexadecimal digits, a W3C trace id: the same for everything that one request caused. */
  correlationId?: string;
  /** `exec_…`, the same for everything that one program did. */
  executionId?: string;
  /** Who asked: the caller's id, which over HTTP is the name under `http.clients`. */
  clientId?: string;
  /** The way in that the caller took. */
  clientKind?: Caller['kind'];
}

interface Program extends EventMarks {
  type: 'execution';
  executionId: string;
  language: Language;
  /** SHA-256 of the program; absent, as its length is, if the request has none. */
  codeHash?: string;
  /** In characters. */
  codeLength?: number;
  /** Names of what occurs in the program and deserves a look, such as `eval`. They decide nothing. */
  patterns?: readonly string[];
  /** What the program asked to call: names and globs. */
  allowedTools?: readonly string[];
}

/** A program is about to run; reported only where nothing may run without a record. */
export interface ExecutionStartedEvent extends Program {
  action: 'started';
  status: 'success';
}

/** A program has ended, or was refused before it began (`rejected`). */
export interface ExecutionEndedEvent extends Program {
  action?: never;
  status: 'success' | 'failure' | 'rejected';
  /** How the program was walled off; absent if it did not begin. */
  isolation?: IsolationMode;
  /** Absent for success and for the program's own failures. */
  errorCode?: ErrorCode;
  durationMs: number;
  /** The wait for its turn; absent if that never came. */
  queuedMs?: number;
  /** From when it had its turn until it began; absent if it did not begin. */
  startupMs?: number;
  /** Of all results of its tools together, as JSON. */
  resultBytes: number;
  /** Of what the caller got back, as JSON. */
  returnedBytes: number;
  /** What it called, each name once; absent if it called nothing. */
  toolsCalled?: readonly string[];
}

/** A tool is about to be called; reported only where nothing may be called without a record. */
export interface ToolCallStartedEvent extends EventMarks {
  type: 'tool_call';
  action: 'started';
  status: 'success';
  toolName: string;
}

/** A tool has answered or failed, or the call was refused for its name, its arguments or the budget (`rejected`). */
export interface ToolCallEndedEvent extends EventMarks {
  type: 'tool_call';
  action?: never;
  status: 'success' | 'failure' | 'rejected';
  /** As the caller wrote it, which for a refused call may be no tool's name. */
  toolName: string;
  /** Absent if no server offers the tool. */
  server?: string;
  /** SHA-256 of the arguments as JSON; absent if they are not JSON. */
  paramsHash?: string;
  /** `tool_error` is what the tool itself reports (`isError`). */
  errorCode?: ErrorCode | 'tool_error';
  /** 0 if the call did not reach its server. */
  durationMs: number;
  /** Of it, the wait for a free place. */
  queuedMs?: number;
  /** Of the result as JSON. */
  resultBytes?: number;
}

/** The policy refused a call. */
export interface DenialEvent
  extends EventMarks, Pick<ToolCallEndedEvent, 'toolName' | 'server' | 'paramsHash'> {
  type: 'denial';
  action?: never;
  status: 'rejected';
  errorCode: 'permission_denied';
  durationMs: number;
}

/** Tools were listed or searched. */
export interface DiscoveryEvent extends EventMarks {
  type: 'discovery';
  action: 'listed' | 'searched';
  status: 'success';
  /** The tools that were found. */
  count: number;
  /** The search terms. */
  query?: string;
  /** The only server whose tools were wanted. */
  server?: string;
}

/** No event of its own: `count` more like it, in one execution. */
export interface OmittedEvent extends EventMarks {
  type: 'tool_call' | 'denial' | 'discovery';
  action: 'omitted';
  status: 'success' | 'failure' | 'rejected';
  errorCode?: ErrorCode | 'tool_error';
  count: number;
}

/** A call found no place (`full`), or waited too long for one. */
export interface QueueEvent extends EventMarks {
  type: 'queue';
  action: 'full' | 'timed_out';
  status: 'rejected';
  toolName: string;
  server: string;
  /** Absent for a call that did not wait. */
  queuedMs?: number;
}

/** Calls of an upstream server are stopped, tried or let through again; the ids are those of the call that did it. */
export interface CircuitEvent extends EventMarks {
  type: 'circuit';
  action: 'opened' | 'half_open' | 'closed';
  status: 'success' | 'failure';
  server: string;
}

/** A request that was not let in over HTTP: no valid token, too many, or anything else. */
export interface RefusedRequestEvent extends Event {
  type: 'auth_failure' | 'rate_limited' | 'request_refused';
  action?: never;
  status: 'rejected';
  errorCode: ErrorCode;
  clientKind: 'http';
  /** The name under `http.clients`; absent if nobody knows who asks. */
  clientId?: string;
  clientIp?: string;
  /** The status of the answer; absent if the connection was closed to make room for others. */
  httpStatus?: number;
  /** How many more like it have no record each. */
  count?: number;
}

/** The configuration was read again, and is used or not. */
type ConfigEvent = Event & { type: 'config' } & (
    { action: 'reloaded'; status: 'success' } | { action: 'refused'; status: 'rejected' }
  );

/** The first record of a server, and its last. */
export interface LifecycleEvent extends Event {
  type: 'lifecycle';
  action: 'started' | 'stopped';
  status: 'success';
}

/** One thing worth a record that the work of a caller caused. */
export type CallerEvent =
  | ExecutionStartedEvent
  | ExecutionEndedEvent
  | ToolCallStartedEvent
  | ToolCallEndedEvent
  | DenialEvent
  | DiscoveryEvent
  | OmittedEvent
  | QueueEvent
  | CircuitEvent;

/** One thing worth a record: its `type`, and where that is not enough its `action`, say which fields it has. */
export type AuditEvent = CallerEvent | RefusedRequestEvent | ConfigEvent | LifecycleEvent;

type KeyOf<Union> = Union extends unknown ? keyof Union : never;
type ValueOf<Union, Key> = Union extends unknown ? (Key extends keyof Union ? Union[Key] : never) : never;

/** An event as it is read back: its file may have been written by anybody, so that any field may be absent. */
export type AuditRecord = Pick<AuditEvent, 'type' | 'timestamp'> & {
  [Key in KeyOf<AuditEvent>]?: Exclude<ValueOf<AuditEvent, Key>, undefined>;
};

/** Takes events. What it rejects with is for the log: a record that cannot be written breaks no call. */
export type AuditSink<Of extends AuditEvent = AuditEvent> = (event: Of) => void | Promise<void>;

/**
 * Takes the record of what is about to be done, before it is done. If it rejects, that is not done, and the caller gets
 * what it rejects with.
 */
export type Admission = (event: ExecutionStartedEvent | ToolCallStartedEvent) => void | Promise<void>;
