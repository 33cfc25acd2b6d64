import { createHome } from '../server-under-test/home.js';
import type { OAuthServer } from '../upstream-servers/oauth-server.js';

/** A home whose configuration names a remote server that wants a login, as `remote`. */
export function createHomeWith(remote: OAuthServer): Promise<string> {
  const config = {
    mcpServers: { remote: { url: remote.url } },
    policy: { defaultAllowedTools: ['*'] },
    sandbox: { spares: { typescript: 0, python: 0 } },
  };
  return createHome({ '.code-executor.json': JSON.stringify(config) });
}
