import type { Caller } from './caller.js';
import type { ErrorCode } from './error.js';
import type { IsolationMode, Language } from './sandbox.js';

/**
 * What a record is about: a program that ran, a tool that was called, tools that were searched, a call that
 * policy refused, a missing or wrong token, a rate limit, another HTTP request that was not let in, an upstream
 * server's circuit breaker, a queue, the configuration, the server itself.
 */
export type AuditEventType =
  | 'execution'
  | 'tool_call'
  | 'discovery'
  | 'denial'
  | 'auth_failure'
  | 'rate_limited'
  | 'request_refused'
  | 'circuit'
  | 'queue'
  | 'config'
  | 'lifecycle';

/** What happened, where the type and the status do not say it. */
export type AuditAction =
  /** `circuit`. */
  | 'opened'
  | 'half_open'
  | 'closed'
  /** `queue`. */
  | 'full'
  | 'timed_out'
  /** `lifecycle`. */
  | 'started'
  | 'stopped'
  /** `config`. */
  | 'reloaded'
  /** Whatever was not let in. */
  | 'refused'
  /** `discovery`. */
  | 'listed'
  | 'searched'
  /** No event of its own: `count` more like it, in one execution. */
  | 'omitted';

/**
 * One thing worth a record. Arguments, prompts and code never appear in it, at most their SHA-256. Whoever
 * writes records down bounds the length of names and lists, so that those who tell need not.
 */
export interface AuditEvent {
  type: AuditEventType;
  /** When, as ISO 8601 in UTC with milliseconds. */
  timestamp: string;
  /** `rejected` was refused before it began. */
  status: 'success' | 'failure' | 'rejected';
  action?: AuditAction;
  /** 32 hexadecimal digits, a W3C trace id: the same for everything that one request caused. */
  correlationId?: string;
  /** `exec_…`, the same for everything that one program did. */
  executionId?: string;
  /** Who asked: the caller's id, which over HTTP is the name under `http.clients`. */
  clientId?: string;
  /** The way in that the caller took. */
  clientKind?: Caller['kind'];
  clientIp?: string;
  /** What a refused HTTP request was answered with; absent where its connection was closed to make room for others. */
  httpStatus?: number;
  language?: Language;
  /** How the program was walled off. */
  isolation?: IsolationMode;
  /** As the caller wrote it, which for a refused call may be no tool's name. */
  toolName?: string;
  server?: string;
  /** The search terms of a discovery. */
  query?: string;
  /** The tools that a discovery found; with `omitted`, and over HTTP, how many more like it have no record each. */
  count?: number;
  /** SHA-256 of a call's arguments as JSON, in hexadecimal. */
  paramsHash?: string;
  /** SHA-256 of the program, in hexadecimal. */
  codeHash?: string;
  /** In characters. */
  codeLength?: number;
  /** Names of what occurs in the program and deserves a look, such as `eval`. They decide nothing. */
  patterns?: readonly string[];
  /** What the program was allowed to call: names and globs. */
  allowedTools?: readonly string[];
  /** What it called, each name once. */
  toolsCalled?: readonly string[];
  /** `tool_error` is what the tool itself reports (`isError`). */
  errorCode?: ErrorCode | 'tool_error';
  durationMs?: number;
  /** The wait for a free place. */
  queuedMs?: number;
  /** From when a program had its place until it began. */
  startupMs?: number;
  /** Of a tool's result as JSON; of an execution, of all results of its tools together. */
  resultBytes?: number;
  /** Of what the caller of an execution got back, as JSON. */
  returnedBytes?: number;
}

/**
 * Takes the record of what is about to be done, before it is done. Where it rejects, that is not done: the caller gets
 * what it rejects with.
 */
export type Admission = (event: AuditEvent) => void | Promise<void>;

/** Takes records. What it rejects with is for the log: a broken record breaks no call. */
export type AuditSink = (event: AuditEvent) => void | Promise<void>;
