import type { Language, Sandbox } from '@code-executor/contracts';
import type { ToolForm } from '@code-executor/schema-types';

/** What an executor knows about a language. */
export interface ExecutionLanguage {
  /** The name in requests, records and configuration: `python`. */
  name: Language;
  /** The name for people: `Python`. */
  title: string;
  /** How tools are written in listings and errors. */
  form: ToolForm;
  /** The number of programs that run at once, besides the common limit; `Infinity` if there is only that one. */
  maxConcurrent: number;
  /** Whether programs can be granted files and folders. */
  takesFiles: boolean;
  /** The advice for a program that printed nothing and has no value. */
  howToGiveValue: string;
  /**
   * Text that readers of the audit log should look at, by its name in a record. It stops nothing: code can always be
   * written in another way, and the sandbox holds whatever a program says. No pattern may backtrack, because code is
   * hostile and up to 100,000 characters long.
   */
  auditPatterns: Readonly<Record<string, RegExp>>;
}

/** A language with the sandbox of its programs. */
export interface RunnableLanguage extends ExecutionLanguage {
  sandbox: Sandbox;
}
