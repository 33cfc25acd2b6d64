import type { ToolSchema } from '@code-executor/contracts';
import type { IdentifierStyle } from './identifier.js';

import type { TypeNode } from './type-node.js';
import type { TypeShape } from './type-shape.js';

/** How one language writes tools and their types. */
export interface ToolForm {
  /** How the words of a name are joined: `tools.github.createIssue`. */
  nameStyle: IdentifierStyle;
  /** A text as a string literal on one line, with invisible characters escaped. */
  quoted(text: string): string;
  /** How the names of a tool's parameters are listed if there is no room for their types. */
  outline: {
    brackets: readonly [open: string, close: string];
    /** The name of the parameter for each property. */
    parametersOf(properties: Iterable<string>): ReadonlyMap<string, string>;
    /** The parameter, marked as optional. */
    optional(parameter: string): string;
  };
  /**
   * The part of a signature after the tool's name, on one line: its arguments and its result, each no larger than its
   * shape allows.
   */
  signature(args: TypeNode, result: TypeNode, argsShape: TypeShape, resultShape: TypeShape): string;
  /**
   * The declarations of tools as text for an agent to read: what `tools.<server>.<tool>` takes and returns, with the
   * servers' descriptions, shortened and marked as theirs. It is valid code of the language. Never throws.
   */
  types(tools: readonly ToolSchema[]): string;
}
