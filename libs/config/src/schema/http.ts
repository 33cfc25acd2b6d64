import * as z from 'zod';

import { text } from '../text.js';
import { askedToolList, flag, integer, list, toolList } from './fields.js';

/** Names of clients over HTTP. */
export const clientIdPattern = /^[A-Za-z0-9_-]{1,64}$/;
/** The pattern in words. */
export const clientIdRule = 'letters, digits, "_" and "-", at most 64';

const clientRateLimit = z.strictObject({
  enabled: flag("Whether this client's requests are limited. Default: as in security.rateLimit."),
  windowMs: integer(1000, 3_600_000, 'Length of its sliding window, in ms. Default: as there.'),
  maxRequests: integer(1, 100_000, 'Its requests within it. Default: as there.'),
});

const client = z.strictObject({
  tokenHash: z
    .string()
    .regex(/^sha256:[0-9a-f]{64}$/)
    .meta({
      description: 'The SHA-256 of its token, as `code-executor token create` writes it. Required.',
      note: '"sha256:" and 64 digits of 0-9, a-f',
    }),
  policy: z
    .strictObject({
      allow: toolList(
        'Tools (names, globs or servers) that this client may call, instead of policy.defaultAllowedTools. Default: those.',
      ),
      deny: toolList('Tools (names, globs or servers) of these that it may not call. Default: none.'),
      ceiling: toolList(
        'Tools (names, globs or servers) beyond which it may call none, also with programs; allows nothing by itself. Default: no ceiling of its own.',
      ),
      ask: askedToolList(
        'Tools (names, globs or servers; also own tools, such as `executePython`) of which each call by this client needs the agreement of a person, beside those of policy. Default: none.',
      ),
      readOnly: flag(
        'Whether this client may call only tools whose servers claim that they change nothing. Default: as in policy.readOnly.',
      ),
    })
    .exactOptional(),
  rateLimit: clientRateLimit.exactOptional(),
  maxExecutions: integer(
    1,
    10_000,
    'How many of its executions may run or wait at once; a further one is refused. Default: as many as the queue takes.',
  ),
});

export const http = z.strictObject({
  host: text()
    .meta({
      description:
        'Where `--http` listens: `127.0.0.1`, `::1` or `localhost`, or with `http.clients` and `http.hostNames` any address. Default: 127.0.0.1.',
    })
    .exactOptional(),
  hostNames: list(
    'The names that clients use for this machine in `Host`, without a port; any other is refused. Default: the loopback address that `http.host` names.',
  ),
  port: integer(1, 65_535, 'The port on which `--http` listens. Default: 3333.'),
  clients: z
    .record(z.string().regex(clientIdPattern), client)
    .superRefine((clients, context) => {
      const idOf = new Map<string, string>();
      for (const [id, { tokenHash }] of Object.entries(clients)) {
        const other = idOf.get(tokenHash);
        if (other === undefined) idOf.set(tokenHash, id);
        else context.addIssue({ code: 'custom', path: [id, 'tokenHash'], message: sameToken(other) });
      }
    })
    .exactOptional(),
});

/** Two clients with one token could not be told apart. */
function sameToken(other: string): string {
  return `is also that of http.clients.${other}; create a token for each`;
}
