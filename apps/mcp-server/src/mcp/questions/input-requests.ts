import type { Question } from '@code-executor/executor';
import { inputRequired, type InputRequests, inputResponse } from '@modelcontextprotocol/server';

import type { CallUnderWay } from '../calls/call-under-way.js';
import { answersFrom, formFor } from './question-form.js';

/** The open questions of a call, as 2026-07-28 puts them into a result. */
export function inputRequestsOf({ questions }: CallUnderWay): InputRequests {
  return Object.fromEntries(
    questions.map((question) => [keyOf(question), inputRequired.elicit(formFor(question))]),
  );
}

/**
 * Takes what a client of 2026-07-28 sent back. Only answers to questions that are open count: a response that comes twice, or
 * too late, changes nothing.
 */
export function takeResponses(call: CallUnderWay, responses: Record<string, unknown> | undefined): void {
  for (const question of call.questions) {
    const response = inputResponse(responses, keyOf(question));
    if (response.kind === 'elicit') call.answer(question.id, answersFrom(question, response));
  }
}

/** A question that was answered in part is another one, with fewer calls. */
function keyOf({ id, calls }: Question): string {
  return `${id}-${calls.length}`;
}
