export {
  type ClientOptions,
  type ClientServer,
  type HttpServer,
  type HttpServerOptions,
  startHttpServer,
  type TokenServer,
} from './http-server.js';
export { isLoopbackHost } from './listen-address.js';
export type { AnsweredRequest } from './listener.js';
export { startOpenServer } from './open-server.js';
export type { OnRefused, RefusedRequest } from './refusals.js';
export type {
  HttpAnswer,
  HttpRequest,
  NamedRateLimit,
  RateLimit,
  RefusedAs,
  Route,
  RouteGroup,
  StreamRoute,
} from './routes.js';
