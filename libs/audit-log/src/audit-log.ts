import { extname, resolve } from 'node:path';

import {
  type AuditEvent,
  type AuditRecord,
  CodeExecutorError,
  type Logger,
  silentLogger,
} from '@code-executor/contracts';
import { type BadLine, JsonlLog } from '@code-executor/jsonl-log';

import { type AuditQuery, matches } from './audit-query.js';
import { boundedEvent } from './bounded-event.js';

export interface AuditLogOptions {
  /**
   * The folder of the files `audit-YYYY-MM-DD.jsonl`; a day continues in `audit-YYYY-MM-DD_2.jsonl`. A path that ends
   * in `.jsonl`, `.json`, `.log` or `.txt` is one file for all days, which does not expire.
   */
  path: string;
  /** How many days records are kept, after which their files are removed. Default: 30. */
  retentionDays?: number;
  /**
   * The limit of all files together, in MiB. The oldest are removed; a single file for all days takes no more records.
   * Default: 512.
   */
  maxMegabytes?: number;
  /** Whether `append` rejects when a record cannot be written. Default: false, a warning goes to the logger. */
  required?: boolean;
  logger?: Logger;
  /** The time, for the expiry. Default: the clock's. */
  now?: () => Date;
}

export interface AuditReport {
  /** The names of the files, oldest first. */
  files: string[];
  /** The number of valid records in them. */
  records: number;
  /** Lines that are not records, and files that cannot be read (line 0): the first thousand. */
  problems: BadLine[];
}

const dayMs = 86_400_000;
const megabyte = 1024 * 1024;
const defaultLimit = 100;
const maxProblems = 1000;
const fileEndings = ['.jsonl', '.json', '.log', '.txt'];

/** The audit log on disk. It opens nothing before the first record; several processes may share a path. */
export class AuditLog {
  readonly #log: JsonlLog<AuditRecord>;
  readonly #retentionDays: number;
  readonly #isRequired: boolean;
  readonly #logger: Logger;
  readonly #now: () => Date;
  #expiry: NodeJS.Timeout | undefined;
  #expiring: Promise<void> | undefined;
  /** Records that could not be written since one could. */
  #lost = 0;

  constructor(options: AuditLogOptions) {
    const { path, retentionDays = 30, maxMegabytes = 512, required = false, logger = silentLogger } = options;
    const absolute = resolve(path);
    const place = fileEndings.includes(extname(absolute).toLowerCase())
      ? { file: absolute }
      : { directory: absolute, prefix: 'audit' };
    this.#log = new JsonlLog<AuditRecord>({ ...place, timeOf, maxBytes: maxMegabytes * megabyte });
    this.#retentionDays = retentionDays;
    this.#isRequired = required;
    this.#logger = logger;
    this.#now = options.now ?? (() => new Date());
  }

  /**
   * Resolves when the record is written; you need not wait for that. A record that cannot be written is lost: with
   * `required`, this rejects with `failed_precondition`; without it, a warning is logged, once until writing works
   * again.
   */
  async append(event: AuditEvent): Promise<void> {
    try {
      await this.#log.append(boundedEvent(event));
    } catch (cause) {
      const { message } = CodeExecutorError.from(cause);
      if (this.#lost++ === 0) this.#logger.warn({ err: cause }, `The audit log has a gap. ${message}`);
      if (!this.#isRequired) return;
      const problem = `Nothing is done without an audit record (audit.required). ${message}`;
      throw new CodeExecutorError('failed_precondition', problem, { cause });
    }
    this.#expireDaily();
    if (this.#lost === 0) return;
    this.#logger.warn({ lost: this.#lost }, 'Audit records are written again; those in between are lost.');
    this.#lost = 0;
  }

  /** The records that match, newest first, with known fields only. Rejects with `failed_precondition` if the folder cannot be read. */
  async search(wanted: AuditQuery = {}): Promise<AuditRecord[]> {
    const { since, until, limit = defaultLimit } = wanted;
    const found: AuditRecord[] = [];
    let bad = 0;
    const entries = this.#log.read({
      order: 'newest',
      ...(since && { since }),
      ...(until && { until }),
      onBadLine: () => bad++,
    });
    for await (const entry of entries) {
      if (found.length >= limit) break;
      // Anyone who can write the files decides what is in them.
      const record = boundedEvent(entry);
      if (matches(record, wanted)) found.push(record);
    }
    if (bad > 0) {
      this.#logger.warn({ bad }, 'Parts of the audit log cannot be read; verify it to see which.');
    }
    return found;
  }

  /** Reads everything and reports what is not a record. Rejects with `failed_precondition` if the folder cannot be read. */
  async verify(): Promise<AuditReport> {
    const report: AuditReport = { files: [], records: 0, problems: [] };
    const { files, problems } = report;
    const entries = this.#log.read({
      onFile: (file) => files.push(file),
      onBadLine: (line) => {
        if (problems.length < maxProblems) problems.push(line);
      },
    });
    while ((await entries.next()).done !== true) report.records++;
    return report;
  }

  /** Resolves when all records are written or given up. */
  async close(): Promise<void> {
    clearInterval(this.#expiry);
    await this.#log.close();
    await this.#expiring;
  }

  #expireDaily(): void {
    if (this.#expiry) return;
    this.#expiry = setInterval(() => {
      this.#expiring = this.#expire();
    }, dayMs).unref();
    this.#expiring = this.#expire();
  }

  async #expire(): Promise<void> {
    try {
      await this.#log.prune({ days: this.#retentionDays, now: this.#now() });
    } catch (error) {
      const { message } = CodeExecutorError.from(error);
      this.#logger.warn({ err: error }, `Old audit records stay. ${message}`);
    }
  }
}

/** The file may hold anything: without a type and a time as text, it is not a record. */
function timeOf({ type, timestamp }: { type: unknown; timestamp: unknown }): Date {
  return new Date(typeof type === 'string' && typeof timestamp === 'string' ? timestamp : NaN);
}
