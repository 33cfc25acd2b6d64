import { CodeExecutorError, systemCodeOf } from '@code-executor/contracts';
import type { Host } from '@code-executor/host';
import {
  type HttpServer,
  type HttpServerOptions,
  type RouteGroup,
  startHttpServer,
  type TokenServer,
} from '@code-executor/http-server';

import type { HttpAccess } from './http-access.js';
import { tokenHashes } from './http-clients.js';
import { type HttpTokenFile, writeHttpToken } from './http-token-file.js';
import { reportFatal } from './report-fatal.js';

const defaultPort = 3333;

export interface ListeningServer extends HttpServer {
  tokenFile?: HttpTokenFile;
  /** What a client needs to call, for the log. */
  accessText: string;
  /** Ends what a client of `http.clients` has under way; undefined without clients. */
  hangUp?: (clientId: string) => void;
}

/** Listens where the configuration says; undefined, and a report on stderr, if that is not possible. */
export async function listenHttp(
  groups: readonly RouteGroup[],
  host: Host,
  access: HttpAccess,
  options: HttpServerOptions,
): Promise<ListeningServer | undefined> {
  try {
    return await start(groups, host, access, options);
  } catch (error) {
    if (!CodeExecutorError.is(error)) throw error;
    reportFatal(error.message);
    return undefined;
  }
}

async function start(
  groups: readonly RouteGroup[],
  host: Host,
  access: HttpAccess,
  shared: HttpServerOptions,
): Promise<ListeningServer> {
  const { http } = host.settings.config;
  const options = {
    ...shared,
    port: http?.port ?? defaultPort,
    ...(http?.host !== undefined && { host: http.host }),
    ...(http?.hostNames && { hostNames: http.hostNames }),
  };
  switch (access.kind) {
    case 'everybody': {
      const server = await startHttpServer(groups, { ...options, clients: false }).catch(nameKeys);
      return { ...server, accessText: 'no token needed' };
    }
    case 'clients': {
      const clients = () => tokenHashes(host.settings.config) ?? {};
      const server = await startHttpServer(groups, { ...options, clients }).catch(nameKeys);
      const count = Object.keys(http?.clients ?? {}).length;
      return { ...server, accessText: `for ${count} of http.clients` };
    }
    case 'token file': {
      const server = await startHttpServer(groups, options).catch(nameKeys);
      const tokenFile = await writeTokenFile(access.homeDir, server);
      return { ...server, tokenFile, accessText: `token in ${tokenFile.path}` };
    }
  }
}

function nameKeys(cause: unknown): never {
  if (!CodeExecutorError.is(cause)) throw cause;
  const problem = `${cause.message} The keys are http.host, http.port and http.hostNames.`;
  throw new CodeExecutorError(cause.code, problem, { cause });
}

/** Ends the server again if programs cannot read its token. */
async function writeTokenFile(homeDir: string, server: TokenServer): Promise<HttpTokenFile> {
  try {
    return await writeHttpToken(homeDir, server.token);
  } catch (cause) {
    await server.close();
    const problem = `${homeDir}/http-token cannot be written (${String(systemCodeOf(cause))}); see CODE_EXECUTOR_HOME.`;
    throw new CodeExecutorError('failed_precondition', problem, { cause });
  }
}
