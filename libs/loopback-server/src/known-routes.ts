import { CodeExecutorError } from '@code-executor/contracts';
import type { FastifyInstance } from 'fastify';

import { sendError } from './error-reply.js';

/** Answers what no route does: 405 for a path with other methods, else 404 with what there is. */
export function answerUnknownRoutes(app: FastifyInstance): void {
  const methodsByPath = new Map<string, string[]>();
  app.addHook('onRoute', ({ url, method }) => {
    const methods = methodsByPath.get(url) ?? [];
    methodsByPath.set(url, [...methods, ...[method].flat()]);
  });
  app.setNotFoundHandler((request, reply) => {
    const [path = ''] = request.url.split('?', 1);
    const methods = methodsByPath.get(path)?.join(', ');
    if (methods !== undefined) {
      void reply.header('allow', methods);
      const problem = `This path takes only ${methods}.`;
      return sendError(reply, new CodeExecutorError('invalid_argument', problem), 405);
    }
    const routes = [...methodsByPath].map(([url, known]) => `${known.join(', ')} ${url}`).join('; ');
    return sendError(
      reply,
      new CodeExecutorError('not_found', `There is no such path; there is: ${routes}.`),
    );
  });
}
