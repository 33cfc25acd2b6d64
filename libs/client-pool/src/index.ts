export { serverIdentity } from './catalog/definition-key.js';
export { ClientPool } from './client-pool.js';
export { beginLogin, type LoginOptions, type LoginUnderWay } from './login/begin-login.js';
export { type LoginStatus, loginStatus, removeLogin } from './login/logins.js';
export type {
  CircuitState,
  ClientPoolOptions,
  HttpServer,
  OAuthOptions,
  PoolStats,
  ServerStats,
  StdioServer,
  UpstreamServer,
} from './options.js';
export type { CacheVerdict, ToolListCache } from './catalog/tool-list-cache.js';
