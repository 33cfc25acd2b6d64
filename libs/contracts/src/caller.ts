/** What one caller may call of what the operator's policy permits. Entries are names, names with `*`, or servers. */
export interface CallerPolicy {
  /** What it may call, and what its executions may call without asking for it. Default: as for all callers. */
  allow?: readonly string[];
  /** Tools that it may not call, whatever allows them. Default: none. */
  deny?: readonly string[];
  /** The most that it may call; gives nothing by itself. Default: no ceiling of its own. */
  ceiling?: readonly string[];
  /** Calls that a person has to agree to, beside those of the operator's policy. Default: none. */
  ask?: readonly string[];
  /** Whether it may call only tools that claim to read only. Default: as for all callers. */
  readOnly?: boolean;
}

/**
 * Who asks. Each way in makes one for every request. It travels with each execution and call, bounds what they may do,
 * and is named in all their records.
 */
export interface Caller {
  /** At most 64 characters; over HTTP the name under `http.clients`, or `(anyone)`. */
  id: string;
  /** The way in: the standard streams, HTTP, the command line, gRPC, or the program that the library is part of. */
  kind: 'stdio' | 'http' | 'cli' | 'grpc' | 'embedder';
  /** Absent if the operator has no rules for this caller alone. */
  policy?: CallerPolicy;
  /** How many of its executions may run or wait at once. Default: as many as the queue takes. */
  maxExecutions?: number;
}

/** The program that uses the libraries itself. */
export const embedder: Caller = Object.freeze({ id: 'embedder', kind: 'embedder' });
