import type { Language, Sandbox } from '@code-executor/contracts';
import type { ToolForm } from '@code-executor/schema-types';

/** What an executor knows of a language. */
export interface ExecutionLanguage {
  /** In requests, records and configuration: `python`. */
  name: Language;
  /** For people: `Python`. */
  title: string;
  /** How tools are written in listings and errors. */
  form: ToolForm;
  /** Programs that run at once, beside the limit of all languages together; `Infinity` if only that one holds. */
  maxConcurrent: number;
  /** Whether programs can be granted files and folders. */
  takesFiles: boolean;
  /** What a program is told that printed nothing and has no value. */
  howToGiveValue: string;
  /**
   * What readers of the audit record want to be pointed at, by its name in the record. It stops nothing: text can always
   * be written in another way, and the walls hold whatever a program says. No pattern may backtrack, because code is
   * hostile and 100,000 characters long.
   */
  auditPatterns: Readonly<Record<string, RegExp>>;
}

/** A language, and what runs its programs. */
export interface RunnableLanguage extends ExecutionLanguage {
  sandbox: Sandbox;
}
