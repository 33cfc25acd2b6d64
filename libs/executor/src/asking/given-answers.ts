import { createHash } from 'node:crypto';

import { type ApprovalOutcome, type ApprovalRequest, sortedJson } from '@code-executor/contracts';

import type { CallAnswer } from './question.js';

/** What a person has already decided in one execution, as far as it holds for further calls. */
export class GivenAnswers {
  /** How many more calls of a tool of a server are allowed. */
  readonly #left = new Map<string, number>();
  readonly #denied = new Set<string>();

  /** Remembers an answer, and returns what it means for its own call; undefined for one that says nothing. */
  add(request: ApprovalRequest, answer: CallAnswer): ApprovalOutcome | undefined {
    switch (answer.decision) {
      case 'once':
      case 'cancelled':
        return answer.decision;
      case 'run':
        this.#left.set(toolOf(request), Infinity);
        return 'run';
      case 'times':
        if (!Number.isSafeInteger(answer.times) || answer.times < 1) return undefined;
        this.#left.set(toolOf(request), (this.#left.get(toolOf(request)) ?? 0) + answer.times - 1);
        return 'times';
      case 'denied':
        this.#denied.add(identityOf(request));
        return 'denied';
      default:
        return undefined;
    }
  }

  /**
   * What earlier answers say about a call; undefined if the person has to be asked. A call that was denied is denied
   * again, because a program could otherwise ask until the person gives in.
   */
  cover(request: ApprovalRequest): ApprovalOutcome | undefined {
    if (this.#denied.size > 0 && this.#denied.has(identityOf(request))) return 'denied';
    const left = this.#left.get(toolOf(request)) ?? 0;
    if (left === 0) return undefined;
    this.#left.set(toolOf(request), left - 1);
    return left === Infinity ? 'run' : 'times';
  }
}

/** While a program runs, another server may come to offer a tool of the same name: `mcp__a__b__c` is one of a or of a__b. */
function toolOf({ toolName, server }: ApprovalRequest): string {
  return JSON.stringify([toolName, server]);
}

function identityOf(request: ApprovalRequest): string {
  return createHash('sha256')
    .update(`${toolOf(request)} ${sortedJson(request.args)}`)
    .digest('base64');
}
