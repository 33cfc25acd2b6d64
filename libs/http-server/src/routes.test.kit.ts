import type { Route, RouteGroup } from './index.js';

/** A group of routes for programs with a token, which send JSON. */
export function programs(routes: readonly Route[], rules: Partial<RouteGroup> = {}): RouteGroup {
  return { authentication: 'token', origins: 'none', body: { type: 'json' }, routes, ...rules };
}
