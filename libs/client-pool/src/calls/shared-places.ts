/** Whose call it is, among those that share the places. */
export interface Claim {
  readonly server: string;
  /** The execution, or the client; undefined if neither is known. */
  readonly caller: string | undefined;
}

/**
 * The places for calls, shared with a minimum for each server: half of them are kept, in equal parts, for the
 * servers that have fewer calls than their part, and the others go to the first that come. One caller has a third of
 * all at most. So slow calls to some servers, or of one program, leave places for all others.
 */
export class SharedPlaces {
  readonly max: number;
  readonly #serverNames: () => readonly string[];
  readonly #byServer = new Map<string, number>();
  readonly #byCaller = new Map<string | undefined, number>();
  #active = 0;

  constructor(max: number, serverNames: () => readonly string[]) {
    this.max = max;
    this.#serverNames = serverNames;
  }

  /** How many places are taken. */
  get active(): number {
    return this.#active;
  }

  take({ server, caller }: Claim): void {
    this.#active += 1;
    add(this.#byServer, server, 1);
    add(this.#byCaller, caller, 1);
  }

  release({ server, caller }: Claim): void {
    this.#active -= 1;
    add(this.#byServer, server, -1);
    add(this.#byCaller, caller, -1);
  }

  /** Of the claims that may take a place now, the one whose server, and then whose caller, has the fewest; the first of equals. */
  next<Claimed extends Claim>(claims: readonly Claimed[]): Claimed | undefined {
    if (this.#active >= this.max) return undefined;
    let next: Claimed | undefined;
    for (const claim of claims) {
      if (this.#mayTake(claim) && (next === undefined || this.#hasFewer(claim, next))) next = claim;
    }
    return next;
  }

  #mayTake({ server, caller }: Claim): boolean {
    if (caller !== undefined && this.#ofCaller(caller) >= Math.max(1, Math.floor(this.max / 3))) return false;
    const names = this.#serverNames();
    const part = Math.max(1, Math.floor(this.max / 2 / names.length));
    if (this.#ofServer(server) < part) return true;
    const kept = names.reduce((sum, name) => sum + Math.max(0, part - this.#ofServer(name)), 0);
    // If there are more servers than places, parts are kept for some of them only.
    return this.max - this.#active > Math.min(kept, Math.floor(this.max / 2));
  }

  #hasFewer(one: Claim, other: Claim): boolean {
    const byServer = this.#ofServer(one.server) - this.#ofServer(other.server);
    return byServer === 0 ? this.#ofCaller(one.caller) < this.#ofCaller(other.caller) : byServer < 0;
  }

  #ofServer(name: string): number {
    return this.#byServer.get(name) ?? 0;
  }

  #ofCaller(caller: string | undefined): number {
    return this.#byCaller.get(caller) ?? 0;
  }
}

/** The newest claim of the caller that has the most at the server that has the most. */
export function newestOfMost<Claimed extends Claim>(claims: readonly Claimed[]): Claimed | undefined {
  const ofServer = largestGroup(claims, ({ server }) => server);
  return largestGroup(ofServer, ({ caller }) => caller).at(-1);
}

/** Of groups of the same size, the one with the newest claim. */
function largestGroup<Claimed>(
  claims: readonly Claimed[],
  keyOf: (claim: Claimed) => unknown,
): readonly Claimed[] {
  const groups = new Map<unknown, Claimed[]>();
  for (const claim of claims) {
    const key = keyOf(claim);
    const group = groups.get(key) ?? [];
    group.push(claim);
    // Keeps the groups in the order of their newest claims.
    groups.delete(key);
    groups.set(key, group);
  }
  let largest: readonly Claimed[] = [];
  for (const group of groups.values()) if (group.length >= largest.length) largest = group;
  return largest;
}

/** A key without places is deleted, because executions come and go. */
function add<Key>(counts: Map<Key, number>, key: Key, change: number): void {
  const count = (counts.get(key) ?? 0) + change;
  if (count === 0) counts.delete(key);
  else counts.set(key, count);
}
