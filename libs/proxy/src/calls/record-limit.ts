import type { OmittedEvent } from '@code-executor/contracts';

/** How many records of one kind are written; further ones are counted, because programs call in loops. */
const maxAlike = 100;

type Alike = Pick<OmittedEvent, 'type' | 'status' | 'errorCode'>;

/** How many records one execution gets of each kind: what happened, how it ended, with which error. */
export class RecordLimit {
  readonly #kinds = new Map<string, { alike: Alike; count: number }>();

  /** Whether one more of this kind has a record of its own; if not, it is counted. */
  admits({ type, status, errorCode }: Alike): boolean {
    const key = `${type} ${status} ${errorCode ?? ''}`;
    const kind = this.#kinds.get(key) ?? {
      alike: { type, status, ...(errorCode && { errorCode }) },
      count: 0,
    };
    this.#kinds.set(key, kind);
    return ++kind.count <= maxAlike;
  }

  /** One event for each kind of which some had no record, with their number. Each is returned once. */
  takeOmitted(): (Alike & { action: 'omitted'; count: number })[] {
    return [...this.#kinds.values()].flatMap((kind) => {
      const count = kind.count - maxAlike;
      if (count <= 0) return [];
      kind.count = maxAlike;
      return [{ ...kind.alike, action: 'omitted' as const, count }];
    });
  }
}
