import type { Route, RouteGroup, StreamRoute } from './index.js';

/** A group of routes for programs with a token, which send JSON. */
export function programs(
  routes: readonly (Route | StreamRoute)[],
  rules: Partial<RouteGroup> = {},
): RouteGroup {
  return { authentication: 'token', origins: 'none', body: { type: 'json' }, routes, ...rules };
}
