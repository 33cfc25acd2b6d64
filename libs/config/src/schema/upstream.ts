import * as z from 'zod';

import { maxConnectTimeoutMs } from '../server-entry.js';
import { text } from '../text.js';
import { integer } from './fields.js';

export const pool = z.strictObject({
  maxConcurrent: integer(
    1,
    1000,
    'Tool calls to upstream servers at once. Default: 100.',
    'POOL_MAX_CONCURRENT',
  ),
  maxQueued: integer(
    1,
    1000,
    'Tool calls that may wait for a free place; further ones are refused. Default: 200.',
    'POOL_QUEUE_SIZE',
  ),
  queueTimeoutMs: integer(
    1000,
    300_000,
    'Longest wait for a free place, in ms. Default: 30000.',
    'POOL_QUEUE_TIMEOUT_MS',
  ),
  failureThreshold: integer(
    1,
    1000,
    'Failures of an upstream server in a row after which its calls are refused for a while. Default: 5.',
  ),
  resetTimeoutMs: integer(
    1000,
    600_000,
    'How long they are refused until one call may try again, in ms. Default: 30000.',
  ),
  callTimeoutMs: integer(1000, 600_000, 'Time limit of one tool call, in ms. Default: 60000.'),
  connectTimeoutMs: integer(
    1000,
    maxConnectTimeoutMs,
    'How long an upstream server may take to start and list its tools, in ms; `npx` may have to fetch it first. Default: 120000.',
  ),
});

export const discovery = z.strictObject({
  timeoutMs: integer(
    10,
    60_000,
    'Longest wait of a listing or a search for a server that starts, or for a list that is read again, in ms. Default: 500.',
  ),
});

export const schemaCache = z.strictObject({
  store: text()
    .regex(/^rediss?:\/\//, 'must begin with redis:// or rediss://')
    .meta({
      description:
        'A Redis that keeps the tool lists for several servers, `redis://…` or `rediss://…`. Default: the file ~/.code-executor/schema-cache.json.',
      note: 'redis:// or rediss://',
    })
    .exactOptional(),
  ttlMs: integer(
    1,
    2_592_000_000,
    'For how long a tool list is fresh, in ms; an older one is used, too, while it is listed again. Default: 86400000.',
  ),
  maxEntries: integer(1, 100_000, 'Servers whose tool lists are kept. Default: 1000.'),
});
