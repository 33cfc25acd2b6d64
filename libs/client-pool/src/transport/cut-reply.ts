import type { CutMessage } from '@code-executor/pipes';

import type { ErrorReply } from './malformed-reply.js';

/** An error code of our own. A server has no reason to send it, and gains nothing by it. */
export const answerTooLarge = -32_097;
/** Another one of our own. */
export const answerCrowded = -32_096;

/** Servers put the id of the request that they answer first or last. The data of an event comes after its name. */
const idAtStart =
  /^(?:[^{]*\n)?(?:data:)?\s*\{\s*(?:"jsonrpc"\s*:\s*"2\.0"\s*,\s*)?"id"\s*:\s*(\d{1,15})\s*,/;
const idAtEnd = /"id"\s*:\s*(\d{1,15})\s*(?:,\s*"jsonrpc"\s*:\s*"2\.0"\s*)?\}\s*$/;

/** An error in place of an answer that is too large, so that only its request fails; undefined if the request is not known. */
export function errorForCutReply({ head, tail, isCrowded }: CutMessage): ErrorReply | undefined {
  const id = idAtStart.exec(head)?.[1] ?? idAtEnd.exec(tail)?.[1];
  if (id === undefined) return undefined;
  return {
    jsonrpc: '2.0',
    id: Number(id),
    error: isCrowded
      ? { code: answerCrowded, message: 'too many large answers came at once' }
      : { code: answerTooLarge, message: 'its answer is too large' },
  };
}
