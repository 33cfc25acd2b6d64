import { CodeExecutorError } from '@code-executor/contracts';
import type { FastifyInstance } from 'fastify';

import { sendError } from './error-reply.js';
import type { RouteGroup } from './routes.js';

/**
 * Answers requests that no route matches, before anything reads their bodies: 405 for a path with other methods, else
 * 404 with the routes that exist.
 */
export function answerUnknownRoutes(app: FastifyInstance, groups: readonly RouteGroup[]): void {
  const methodsByPath = new Map<string, string[]>();
  const groupByPath = new Map<string, RouteGroup>();
  for (const group of groups) {
    for (const { method, path } of group.routes) {
      methodsByPath.set(path, [...(methodsByPath.get(path) ?? []), method]);
      groupByPath.set(path, group);
    }
  }
  app.addHook('onRequest', async (request, reply) => {
    if (!request.is404) return undefined;
    const [path = ''] = request.url.split('?', 1);
    const methods = methodsByPath.get(path)?.join(', ');
    if (methods !== undefined) {
      void reply.header('allow', methods);
      const problem = `This path takes only ${methods}.`;
      const error = new CodeExecutorError('invalid_argument', problem);
      return sendError(reply, error, 405, groupByPath.get(path));
    }
    const routes = [...methodsByPath].map(([url, known]) => `${known.join(', ')} ${url}`).join('; ');
    return sendError(
      reply,
      new CodeExecutorError('not_found', `There is no such path; there is: ${routes}.`),
    );
  });
}
