import * as z from 'zod';

import { text } from '../text.js';
import { integer } from './fields.js';

/** Who decides about each tool call. */
export const hook = z
  .strictObject({
    command: z
      .array(text())
      .min(1)
      .meta({
        description:
          'A program and its arguments that decides about each tool call: it gets the call as JSON on stdin, and writes its verdict to stdout. Default: none.',
      })
      .exactOptional(),
    url: text()
      .regex(/^https?:\/\//i, 'must begin with http:// or https://')
      .meta({
        description:
          'An address that decides about each tool call, instead of a program: the call is posted to it as JSON. Default: none.',
        note: 'http:// or https://',
      })
      .exactOptional(),
    headers: z
      .record(z.string(), z.string())
      .meta({ description: 'HTTP headers sent to the address, such as a token. Default: none.' })
      .exactOptional(),
    timeoutMs: integer(
      100,
      60_000,
      'How long a verdict may take, in ms; without one, the call is refused. Default: 5000.',
    ),
  })
  .refine(({ command, url }) => (command === undefined) !== (url === undefined), {
    error: 'needs either command or url',
  })
  .refine(({ url, headers }) => url !== undefined || headers === undefined, {
    path: ['headers'],
    error: 'are for url only',
  });
