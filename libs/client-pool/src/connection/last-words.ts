import type { Logger } from '@code-executor/contracts';

import type { Present } from './presentable.js';
import { StdioTransport } from '../transport/stdio-transport.js';

/** How much of the last output of a server is logged, for each of its streams. */
const maxLoggedChars = 8192;

export interface Failure {
  server: string;
  /** The transport over which it was heard, if any. */
  transport: unknown;
  /** What happened, as the rest of a sentence about the server. */
  how: string;
  /** What it answered. */
  answer: string;
}

/** Logs what a server has said about its failure, which only the operator may read; false if it has said nothing. */
export function logLastWords(
  { server, transport, how, answer }: Failure,
  { present, logger }: { present: Present; logger: Logger },
): boolean {
  const { stderr = '', stdout = '' } = transport instanceof StdioTransport ? transport.lastWords : {};
  const said = Object.entries({ answer, stderr, stdout }).flatMap(([where, text]) => {
    const shown = present(text, maxLoggedChars);
    return shown === '' ? [] : [[where, shown]];
  });
  if (said.length === 0) return false;
  const fields = { server, how, ...(Object.fromEntries(said) as object) };
  logger.warn(fields, 'the last words of an upstream server');
  return true;
}
