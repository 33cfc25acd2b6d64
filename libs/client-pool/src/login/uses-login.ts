import type { HttpServer, UpstreamServer } from '../options.js';

/** Whether a login is used at this server. One that gets a header of the configuration for this is not logged in at. */
export function usesLogin(server: UpstreamServer): server is HttpServer {
  if ('command' in server) return false;
  const hasHeader = Object.keys(server.headers ?? {}).some(
    (header) => header.toLowerCase() === 'authorization',
  );
  return !hasHeader || server.oauth !== undefined;
}
