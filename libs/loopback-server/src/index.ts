export { type ErrorBody, sendError, sendFailure } from './error-reply.js';
export { httpStatusOf } from './http-status.js';
export { type LoopbackServer, type LoopbackServerOptions, startLoopbackServer } from './loopback-server.js';
