import type { Config } from '@code-executor/config';
import type { Caller } from '@code-executor/contracts';
import type { RateLimit } from '@code-executor/http-server';

/** What `tokenHash` begins with. */
const scheme = 'sha256:';

/** The clients of the HTTP door by name, each with the hash of its token; undefined where there are none. */
export function tokenHashes({ http }: Config): Record<string, string> | undefined {
  const hashes = Object.entries(http?.clients ?? {}).map(
    ([id, { tokenHash }]) => [id, tokenHash.slice(scheme.length)] as const,
  );
  return hashes.length === 0 ? undefined : Object.fromEntries(hashes);
}

/** Whoever has the one token, or needs none; no client can be called so. */
const anyone: Caller = { id: '(anyone)', kind: 'http' };

/** Who asks, with what the configuration says of it now; without a name, whoever has the one token, or no token. */
export function callerOf({ http }: Config, id: string | undefined): Caller {
  return id === undefined ? anyone : { id, kind: 'http', policy: { ...http?.clients?.[id]?.policy } };
}

/** How often a client may ask: its own limits over those for all. */
export function rateLimitOf({ http, security }: Config, id: string | undefined): RateLimit | false {
  const own = id === undefined ? undefined : http?.clients?.[id]?.rateLimit;
  const { enabled = true, ...limits } = { ...security?.rateLimit, ...own };
  const ownKey = id === undefined ? '' : ` or http.clients.${id}.rateLimit`;
  return enabled && { ...limits, remedy: `have the operator change security.rateLimit${ownKey}` };
}
