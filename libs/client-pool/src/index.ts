export { serverIdentity } from './catalog/definition-key.js';
export { ClientPool } from './client-pool.js';
export type {
  CircuitState,
  ClientPoolOptions,
  HttpServer,
  PoolStats,
  ServerStats,
  StdioServer,
  UpstreamServer,
} from './options.js';
export type { CacheVerdict, ToolListCache } from './catalog/tool-list-cache.js';
