import { randomBytes } from 'node:crypto';

import type { Caller } from '@code-executor/contracts';

import type { CallUnderWay } from './call-under-way.js';

/** Results are kept for repeated requests, but not without end. Of each caller, so that none loses its own to another. */
const maxEnded = 32;

interface Kept {
  call: CallUnderWay;
  timer: NodeJS.Timeout;
}

/** The calls that go on, or whose result waits, while no request follows them. They live in this process alone. */
export class KeptCalls {
  /** Signs what clients send back to find their call again. */
  readonly key = randomBytes(32);
  readonly #kept = new Map<string, Kept>();

  /** The call, if it is kept and was made by the same caller. */
  get(id: string, caller: Caller): CallUnderWay | undefined {
    const call = this.#kept.get(id)?.call;
    return call && isOf(call, caller) ? call : undefined;
  }

  /** Keeps a call for this time, and then stops it. Keeping it again starts the time anew. */
  keep(call: CallUnderWay, forMs: number): void {
    this.#forget(call.id);
    const timer = setTimeout(() => {
      this.#forget(call.id);
      call.stop();
    }, forMs).unref();
    this.#kept.set(call.id, { call, timer });
    this.#forgetOldResults(call.caller);
  }

  /** Stops the calls that nobody can follow any more. */
  close(): void {
    for (const { call } of this.#kept.values()) {
      this.#forget(call.id);
      call.stop();
    }
  }

  #forgetOldResults(owner: Caller): void {
    const ended = [...this.#kept.values()].filter(({ call }) => call.end !== undefined && isOf(call, owner));
    for (const { call } of ended.slice(0, -maxEnded)) this.#forget(call.id);
  }

  #forget(id: string): void {
    clearTimeout(this.#kept.get(id)?.timer);
    this.#kept.delete(id);
  }
}

function isOf({ caller }: CallUnderWay, { id, kind }: Caller): boolean {
  return caller.id === id && caller.kind === kind;
}
