import { CodeExecutorError } from '@code-executor/contracts';
import type { FastifyInstance } from 'fastify';

import type { RouteGroup } from './routes.js';

const defaultMaxBytes = 1_000_000;
/** Deeper than anything that programs send. */
const maxDepth = 200;

/** How many bytes a request to these routes may have in its body. */
export function maxBytesOf(group: RouteGroup | undefined): number {
  if (group === undefined || group.body === 'none') return defaultMaxBytes;
  return group.body.maxBytes ?? defaultMaxBytes;
}

/** Accepts bodies in JSON and UTF-8 only: no byte order mark, no `__proto__`, no other content type. */
export function acceptOnlyJson(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  const parse = app.getDefaultJsonParser('error', 'error');
  const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, (request, body, done) => {
    let text: string;
    try {
      text = utf8.decode(body as Buffer);
    } catch (cause) {
      done(new CodeExecutorError('invalid_argument', 'The body is not UTF-8; send JSON in it.', { cause }));
      return;
    }
    if (depthOf(text) > maxDepth) {
      const problem = `The body is nested deeper than ${maxDepth} levels; send it flatter.`;
      done(new CodeExecutorError('invalid_argument', problem));
    } else if (text.startsWith('\u{feff}')) {
      done(
        new CodeExecutorError('invalid_argument', 'The body begins with a byte order mark; leave it out.'),
      );
    } else {
      // The result goes to `done`, although the type also allows a promise.
      void parse(request, text, done);
    }
  });
}

/** Levels of objects and arrays in a JSON text. Code that processes the value would overflow the stack on too many. */
function depthOf(text: string): number {
  let depth = 0;
  let deepest = 0;
  let isInString = false;
  for (let index = 0; index < text.length; index++) {
    const character = text[index];
    if (isInString) {
      if (character === '\\') index++;
      else if (character === '"') isInString = false;
    } else if (character === '"') isInString = true;
    else if (character === '{' || character === '[') deepest = Math.max(deepest, ++depth);
    else if (character === '}' || character === ']') depth--;
  }
  return deepest;
}
