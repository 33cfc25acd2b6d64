import { CodeExecutorError } from '@code-executor/contracts';
import {
  AuthorizationServerMismatchError,
  InsecureTokenEndpointError,
  IssuerMismatchError,
  OAuthError,
  RegistrationRejectedError,
} from '@modelcontextprotocol/client';

import type { LoginProvider } from './login-provider.js';

/** Why a login failed. Nothing that a server said is in it, except the code of an OAuth error. */
export function explainLoginFailure(
  name: string,
  error: unknown,
  { isUnregistered }: Pick<LoginProvider, 'isUnregistered'>,
  signal?: AbortSignal,
): CodeExecutorError {
  const about = { server: name };
  const refused = (why: string) =>
    new CodeExecutorError('failed_precondition', `The login at ${name} failed: ${why}`, about);
  if (signal?.aborted) {
    return isTimeout(signal.reason)
      ? new CodeExecutorError('deadline_exceeded', `Nobody finished the login at ${name} in time.`, about)
      : new CodeExecutorError('cancelled', `The login at ${name} was cancelled.`, about);
  }
  if (CodeExecutorError.is(error)) {
    if (error.server !== undefined) return error;
    return new CodeExecutorError(error.code, `The login at ${name} failed: ${error.message}.`, about);
  }
  if (error instanceof IssuerMismatchError || error instanceof AuthorizationServerMismatchError) {
    return refused('its authorization server is not the one that it claims to be. Nothing was stored.');
  }
  if (error instanceof InsecureTokenEndpointError) {
    return refused('its authorization server has no TLS. Nothing was stored.');
  }
  if (error instanceof OAuthError) {
    const code = /^[a-z0-9_]{1,64}$/.test(error.code) ? error.code : 'unknown error';
    const message = `The authorization server of ${name} refused the login (${code}).`;
    return new CodeExecutorError('unauthenticated', message, about);
  }
  if (error instanceof RegistrationRejectedError || isUnregistered) {
    return refused(
      `its authorization server does not register clients by itself. Register one, and set oauth.clientId of ${name} in your configuration.`,
    );
  }
  const message = `The login at ${name} failed: its authorization server could not be used.`;
  return new CodeExecutorError('failed_precondition', message, { ...about, cause: error });
}

function isTimeout(reason: unknown): boolean {
  return reason instanceof DOMException && reason.name === 'TimeoutError';
}
