export { clientOf, isTrusted, type TokenHashes } from './client-check.js';
export { boundConnections } from './connections.js';
export { type ErrorBody, sendError, sendFailure } from './error-reply.js';
export { httpStatusOf } from './http-status.js';
export {
  type ClientOptions,
  type LoopbackServer,
  type LoopbackServerOptions,
  startLoopbackServer,
  type TokenServer,
} from './loopback-server.js';
export { letRequestIn, type OnRefused, type RefusedRequest } from './refusals.js';
