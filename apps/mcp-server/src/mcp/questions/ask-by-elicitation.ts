import type { Question } from '@code-executor/executor';
import { ProtocolError, type ServerContext } from '@modelcontextprotocol/server';

import type { CallUnderWay } from '../calls/call-under-way.js';
import { answersFrom, type FormAnswer, formFor } from './question-form.js';

/** A little longer than a question is open. */
const dialogueMs = 610_000;

/**
 * Shows the questions of a call to the person at a client up to 2025-11-25, one after the other, while the request of the
 * call is open. Resolves at the end of the call and when the signal fires; never rejects.
 */
export async function askByElicitation(
  call: CallUnderWay,
  context: ServerContext,
  signal: AbortSignal,
): Promise<void> {
  try {
    for (let question; (question = await call.nextQuestion(signal));) {
      call.answer(question.id, answersFrom(question, await show(question, context, signal)));
    }
  } catch {
    // The client is gone, or the call is over. What is still open can be answered in another way, or will time out.
  }
}

async function show(question: Question, { mcpReq }: ServerContext, signal: AbortSignal): Promise<FormAnswer> {
  try {
    // Not `elicitInput`: it validates with a library of its own, and does not name the request that asks.
    return await mcpReq.send(
      { method: 'elicitation/create', params: { ...formFor(question) } },
      { signal, timeout: dialogueMs },
    );
  } catch (error) {
    // A client that answers with an error could not show this question, but perhaps the next.
    if (error instanceof ProtocolError) return { action: 'cancel' };
    throw error;
  }
}
