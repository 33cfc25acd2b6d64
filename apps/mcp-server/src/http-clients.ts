import type { Config } from '@code-executor/config';
import type { Caller } from '@code-executor/contracts';
import type { RateLimit } from '@code-executor/http-server';

/** The prefix of every `tokenHash`. */
const scheme = 'sha256:';

/** The hash of each client's token, by the client's name; undefined if there are no clients. */
export function tokenHashes({ http }: Config): Record<string, string> | undefined {
  const hashes = Object.entries(http?.clients ?? {}).map(
    ([id, { tokenHash }]) => [id, tokenHash.slice(scheme.length)] as const,
  );
  return hashes.length === 0 ? undefined : Object.fromEntries(hashes);
}

/** The clients whose token counted before and does not count now. */
export function revokedClients(before: Config, now: Config): string[] {
  const hashes = tokenHashes(now);
  return Object.entries(tokenHashes(before) ?? {}).flatMap(([id, hash]) =>
    hashes?.[id] === hash ? [] : [id],
  );
}

/** The caller if all share one token, or need none; no client of the configuration can have this name. */
const anyone: Caller = { id: '(anyone)', kind: 'http' };

/** The client of this name, as the configuration describes it now; without a name or with that of `anyone`, the caller that all share. */
export function callerOf({ http }: Config, id: string | undefined): Caller {
  if (id === undefined || id === anyone.id) return anyone;
  const { policy, maxExecutions } = http?.clients?.[id] ?? {};
  return {
    id,
    kind: 'http',
    policy: { ...policy },
    ...(maxExecutions !== undefined && { maxExecutions }),
  };
}

/** How often a client may call: its own limits override those for all clients. */
export function rateLimitOf({ http, security }: Config, id: string | undefined): RateLimit | false {
  const own = id === undefined ? undefined : http?.clients?.[id]?.rateLimit;
  const { enabled = true, ...limits } = { ...security?.rateLimit, ...own };
  const ownKey = id === undefined ? '' : ` or http.clients.${id}.rateLimit`;
  return enabled && { ...limits, remedy: `have the operator change security.rateLimit${ownKey}` };
}
