import { createHash, randomBytes } from 'node:crypto';

import { CodeExecutorError, type SessionEvent } from '@code-executor/contracts';
import type { Server } from '@modelcontextprotocol/server';

import { HeldEvents } from './event-log.js';
import { Session } from './session.js';

/** One caller's sessions at once, and everybody's together. */
const maxPerOwner = 100;
const maxInAll = 1000;
/** A client that has not called for so long, and does not listen either, has probably left without a word. */
const maxIdleMs = 30 * 60_000;
const sweepMs = 30_000;
const retryAfterMs = 60_000;

export interface SessionsOptions {
  createServer: (owner: string) => Server;
  record: (event: SessionEvent) => void;
}

/** The sessions of clients of 2025-11-25 and earlier: bounded in number, each found by its own caller only. */
export class Sessions {
  readonly #options: SessionsOptions;
  readonly #sessions = new Map<string, Session>();
  readonly #held = new HeldEvents();
  readonly #sweeper: NodeJS.Timeout;

  constructor(options: SessionsOptions) {
    this.#options = options;
    this.#sweeper = setInterval(() => this.#sweep(), sweepMs).unref();
  }

  /** Undefined for the session of another caller, too, so that nobody learns which ids exist. */
  get(id: string, owner: string): Session | undefined {
    const session = this.#sessions.get(id);
    return session?.owner === owner ? session : undefined;
  }

  /**
   * A new session, which counts once its client is introduced. At the limit it takes the place of one that is idle: of the
   * same caller, or of the caller with the most. Rejects with `resource_exhausted` if there is none.
   */
  async begin(owner: string): Promise<Session> {
    const own = this.#of(owner);
    if (own.length >= maxPerOwner) await this.#replaceOne(own);
    else if (this.#sessions.size >= maxInAll) await this.#replaceOne(this.#ofGreediest());
    const session = new Session({
      id: randomBytes(24).toString('base64url'),
      owner,
      server: this.#options.createServer(owner),
      held: this.#held,
      onBegun: () => {
        this.#sessions.set(session.id, session);
        this.#record('started', session);
      },
      onEnded: () => {
        if (this.#sessions.delete(session.id)) this.#record('ended', session);
      },
    });
    await session.connect();
    return session;
  }

  /** Tells all clients that listen that their tools have changed. */
  async tellToolsChanged(): Promise<void> {
    await Promise.allSettled([...this.#sessions.values()].map((session) => session.tellToolsChanged()));
  }

  /** Ends the sessions of one caller. */
  async closeAllOf(owner: string): Promise<void> {
    await Promise.all(this.#of(owner).map((session) => session.close()));
  }

  async close(): Promise<void> {
    clearInterval(this.#sweeper);
    await Promise.all([...this.#sessions.values()].map((session) => session.close()));
  }

  #of(owner: string): Session[] {
    return [...this.#sessions.values()].filter((session) => session.owner === owner);
  }

  #ofGreediest(): Session[] {
    const owners = new Set([...this.#sessions.values()].map(({ owner }) => owner));
    const [most = []] = [...owners].map((owner) => this.#of(owner)).sort((a, b) => b.length - a.length);
    return most;
  }

  async #replaceOne(sessions: readonly Session[]): Promise<void> {
    const [longestIdle] = sessions
      .filter(({ idleSinceMs }) => idleSinceMs !== undefined)
      .sort((a, b) => (a.idleSinceMs ?? 0) - (b.idleSinceMs ?? 0));
    if (!longestIdle) {
      const problem = 'Too many sessions are in use; end one with DELETE, or try again later.';
      throw new CodeExecutorError('resource_exhausted', problem, { retryAfterMs });
    }
    await longestIdle.close();
  }

  #sweep(): void {
    const fromMs = performance.now() - maxIdleMs;
    for (const session of this.#sessions.values()) {
      session.dropOldEvents();
      if (session.idleSinceMs !== undefined && session.idleSinceMs < fromMs) void session.close();
    }
  }

  #record(action: SessionEvent['action'], { id, owner }: Session): void {
    this.#options.record({
      type: 'session',
      action,
      status: 'success',
      timestamp: new Date().toISOString(),
      sessionHash: createHash('sha256').update(id).digest('hex'),
      clientId: owner,
      clientKind: 'http',
    });
  }
}
