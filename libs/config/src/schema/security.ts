import * as z from 'zod';

import { text } from '../text.js';
import { flag, integer, list } from './fields.js';

const rateLimit = z.strictObject({
  enabled: flag('Whether requests over HTTP are limited, tool calls and listings each. Default: true.'),
  windowMs: integer(1000, 3_600_000, 'Length of the sliding window, in ms. Default: 60000.'),
  maxRequests: integer(1, 100_000, 'Requests of one client within it. Default: 30.'),
});

export const security = z
  .strictObject({
    defaultTimeoutMs: integer(
      1000,
      300_000,
      'Time limit of an execution that asks for none, in ms. Default: 30000.',
    ),
    maxTimeoutMs: integer(
      1000,
      600_000,
      'Longest time limit that an execution may ask for, in ms. Default: 300000.',
    ),
    maxCodeSize: integer(1, 10_000_000, 'Longest program accepted, in characters. Default: 100000.'),
    allowRead: list('Files and folders that executions may be granted to read. Default: none.'),
    allowWrite: z
      .union([z.boolean(), z.array(text())])
      .meta({
        description:
          'Files and folders that executions may be granted to write: a list, `true` for all, `false` for none. Default: false.',
      })
      .exactOptional(),
    allowNetwork: list(
      'Hosts (`api.example.com`, `*.example.com`, `api.example.com:8443`, or `*` for all) that executions may be granted to fetch from. Default: none.',
    ),
    rateLimit: rateLimit.exactOptional(),
  })
  .refine(({ defaultTimeoutMs = 0, maxTimeoutMs = Infinity }) => defaultTimeoutMs <= maxTimeoutMs, {
    path: ['defaultTimeoutMs'],
    error: 'is above security.maxTimeoutMs',
  });
