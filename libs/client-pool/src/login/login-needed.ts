import { CodeExecutorError, type FailedServer } from '@code-executor/contracts';

import { ConnectFailure } from '../connection/connect-failure.js';

/** A request was refused because there is no login, or one that does not suffice. */
export class LoginNeeded extends Error {
  constructor() {
    super('login needed');
  }
}

/** Why a server cannot be used until somebody has logged in. */
export class LoginNeededFailure extends ConnectFailure {
  constructor(server: string) {
    super(server, 'login needed', `Run: ${loginCommand(server)}`);
  }

  override toFailedServer(): FailedServer {
    return { ...super.toFailedServer(), needsLogin: true };
  }

  override toCallError(tool: string): CodeExecutorError {
    return loginError(this.server, tool);
  }
}

export function loginCommand(server: string): string {
  return `code-executor login ${server}`;
}

/** The error of a call to a server that wants a login. */
export function loginError(server: string, tool: string): CodeExecutorError {
  const message = `Server ${server} is unavailable: login needed. Run: ${loginCommand(server)}`;
  return new CodeExecutorError('unauthenticated', message, { tool, server });
}

/** The error of a call that wants more scopes than the login has. */
export function scopeError(server: string, tool: string, scopes: readonly string[]): CodeExecutorError {
  const lacks = scopes.length === 0 ? 'does not permit it' : `lacks ${scopes.join(', ')}`;
  const message = `Server ${server} refused the call, because the login there ${lacks}. To ask for it, run: ${loginCommand(server)}`;
  return new CodeExecutorError('unauthenticated', message, { tool, server });
}
