import type { LoginEvent } from '@code-executor/contracts';

import { beginLogin, type LoginOptions, type LoginUnderWay } from './begin-login.js';

/** The logins that wait for a person, at most one for each server. */
export class LoginsUnderWay {
  readonly #record: (server: string, action: LoginEvent['action']) => void;
  readonly #stop = new AbortController();
  readonly #logins = new Map<string, Promise<LoginUnderWay>>();

  constructor(record: (server: string, action: LoginEvent['action']) => void) {
    this.#record = record;
  }

  /** Begins a login, or joins the one under way. */
  begin(options: Omit<LoginOptions, 'signal'>): Promise<LoginUnderWay> {
    const { name } = options;
    const underWay = this.#logins.get(name);
    if (underWay) return underWay;
    const login = beginLogin({ ...options, signal: this.#stop.signal });
    this.#logins.set(name, login);
    void login
      .then(({ finished }) => finished)
      .then(
        () => this.#record(name, 'succeeded'),
        () => this.#record(name, 'failed'),
      )
      .finally(() => this.#logins.delete(name));
    return login;
  }

  /** Ends the waits. */
  stop(): void {
    this.#stop.abort();
  }
}
