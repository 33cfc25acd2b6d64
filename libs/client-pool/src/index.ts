export { ClientPool } from './client-pool.js';
export type {
  ClientPoolOptions,
  HttpServer,
  PoolStats,
  ServerStats,
  StdioServer,
  UpstreamServer,
} from './options.js';
