import type { ApprovalOutcome, HookVerdict } from './approval.js';
import type { Caller } from './caller.js';
import type { ErrorCode } from './error.js';
import type { IsolationMode, Language } from './sandbox.js';

// Arguments and prompts never appear in an event, only their SHA-256 in hexadecimal, and code only where the operator
// wants its text. The audit log bounds the
// length of names and lists, so that code that reports an event need not.

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
  /** The program itself, if the operator wants it on record. */
  code?: string;
  /** Names of patterns in the program that deserve a look, such as `eval`. They decide nothing. */
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
  /** The isolation mode of the program; absent if it did not begin. */
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
  /** The name that the caller wrote; for a refused call, it may not be the name of a tool. */
  toolName: string;
  /** Absent if no server offers the tool. */
  server?: string;
  /** SHA-256 of the arguments as JSON; absent if they are not JSON. */
  paramsHash?: string;
  /** `tool_error` is what the tool itself reports (`isError`). */
  errorCode?: ErrorCode | 'tool_error';
  /** 0 if the call did not reach its server. */
  durationMs: number;
  /** The part of `durationMs` that was the wait for a free place. */
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

/** Calls of an upstream server are stopped, tried or let through again; the ids are those of the call that caused it. */
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
  /** The name under `http.clients`; absent if the client is unknown. */
  clientId?: string;
  clientIp?: string;
  /** The status of the answer; absent if the connection was closed to make room for others. */
  httpStatus?: number;
  /** The number of other refusals like it that have no record of their own. */
  count?: number;
}

/** A call that a person or a hook decided about. */
interface DecidedCall extends EventMarks, Pick<ToolCallEndedEvent, 'toolName' | 'server' | 'paramsHash'> {
  /** `failure`: nobody decided, so that the call is refused. */
  status: 'success' | 'failure' | 'rejected';
  /** How long the call waited for the decision. */
  durationMs: number;
}

/**
 * A call needed the agreement of a person. `once`, `run` and `times` allow it: this call, all calls of the tool in the
 * run, or several; calls that such an answer covers have an event, too.
 */
export interface AskEvent extends DecidedCall {
  type: 'ask';
  action: ApprovalOutcome;
}

/** A hook was asked about a call. `failed`: it gave no verdict, which refuses the call. */
export interface HookEvent extends DecidedCall {
  type: 'hook';
  action: HookVerdict['decision'] | 'failed';
}

/** The login at an upstream server: it is needed, was made, was renewed, failed, or was removed. */
export interface LoginEvent extends EventMarks {
  type: 'login';
  action: 'needed' | 'succeeded' | 'refreshed' | 'failed' | 'removed';
  status: 'success' | 'failure';
  server: string;
}

/** The definition of a tool was seen first, differs from the one that was pinned, blocked a call, or was approved. */
export interface PinningEvent extends EventMarks {
  type: 'pinning';
  action: 'pinned' | 'changed' | 'blocked' | 'approved';
  status: 'success' | 'rejected';
  server: string;
  /** Absent for all tools of a server that was seen first; `count` says how many. */
  toolName?: string;
  count?: number;
}

/** A session over HTTP began or ended. */
export interface SessionEvent extends EventMarks {
  type: 'session';
  action: 'started' | 'ended';
  status: 'success';
  /** SHA-256 of the session id, because who knows the id could use the session. */
  sessionHash: string;
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

/** An event that the work of a caller caused. */
export type CallerEvent =
  | ExecutionStartedEvent
  | ExecutionEndedEvent
  | ToolCallStartedEvent
  | ToolCallEndedEvent
  | DenialEvent
  | DiscoveryEvent
  | OmittedEvent
  | QueueEvent
  | CircuitEvent
  | AskEvent
  | HookEvent;

/** An event to record. Its `type` and, where that is not enough, its `action` decide which fields it has. */
export type AuditEvent =
  CallerEvent | RefusedRequestEvent | LoginEvent | PinningEvent | SessionEvent | ConfigEvent | LifecycleEvent;

type KeyOf<Union> = Union extends unknown ? keyof Union : never;
type ValueOf<Union, Key> = Union extends unknown ? (Key extends keyof Union ? Union[Key] : never) : never;

/** An event as it is read back. Any field may be absent, because others may have written the file. */
export type AuditRecord = Pick<AuditEvent, 'type' | 'timestamp'> & {
  [Key in KeyOf<AuditEvent>]?: Exclude<ValueOf<AuditEvent, Key>, undefined>;
};

/** Takes events. A rejection is only logged, because a record that cannot be written must not break a call. */
export type AuditSink<Of extends AuditEvent = AuditEvent> = (event: Of) => void | Promise<void>;

/**
 * Takes the event of a program or call that is about to start. If it rejects, the program or call does not start, and the
 * caller gets the rejection.
 */
export type Admission = (event: ExecutionStartedEvent | ToolCallStartedEvent) => void | Promise<void>;
