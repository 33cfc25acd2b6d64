import { startHttpServer, type TokenServer } from '@code-executor/http-server';

import type { ToolProxy } from './tool-proxy.js';
import { toolProxyRoutes } from './tool-proxy-routes.js';

/**
 * Serves one proxy to programs on this machine, on a free port and with a new token. Its policy and its budget
 * are one for all requests; close the server when the execution ends. `code-executor-mcp --http` does not use it: see
 * apps/mcp-server/src/serve-http.ts.
 */
export function serveToolProxy(proxy: ToolProxy): Promise<TokenServer> {
  return startHttpServer([toolProxyRoutes({ createProxy: () => proxy })]);
}
