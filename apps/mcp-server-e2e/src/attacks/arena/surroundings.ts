import { chmod } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { createHome } from '../../server-under-test/home.js';
import type { Mode } from './mode.js';
import { layOut, type Places } from './places.js';
import { Traps } from './traps.js';
import { callsFile } from './upstream-calls.js';

const upstream = fileURLToPath(new URL('./upstream-server.mjs', import.meta.url));

/** The surroundings of a server that is attacked. */
export interface Surroundings {
  places: Places;
  traps: Traps;
}

/** Creates a home full of secrets for one server, and the traps beside it. */
export async function createSurroundings(): Promise<Surroundings> {
  const home = await createHome();
  // Sandboxes run as another user in the user namespace; no attack may fail just because the home is not readable.
  await chmod(home, 0o755);
  const traps = new Traps();
  const sockets = { socket: join(home, 'socket'), abstractSocket: basename(home) };
  const port = await traps.listen(sockets.socket, sockets.abstractSocket);
  return { places: { ...(await layOut(home)), ...sockets, port }, traps };
}

/** A configuration with upstream servers that misbehave on request, and with an operator's policy for them. */
export function configOf(places: Places): object {
  const entry = {
    command: process.execPath,
    args: [upstream, callsFile(places)],
    env: { CANARY: places.canary },
  };
  return {
    mcpServers: { fixture: entry, other: entry, flood: entry },
    security: {
      allowRead: [places.readable],
      allowWrite: [places.writable],
      // A host without a port covers only the scheme's default port; the traps have another one.
      allowNetwork: ['*', `*:${places.port}`],
    },
    policy: {
      ceiling: ['mcp__fixture__*', 'mcp__other__echo', 'mcp__flood__*'],
      servers: { fixture: { deny: ['secret'] } },
    },
    // Listings wait for all servers, so that an attack sees everything.
    discovery: { timeoutMs: 20_000 },
    // Exactly one spare, so that any other process is one too many.
    sandbox: { spares: { typescript: 1, python: 0 } },
  };
}

/** The environment of the server, secrets included; its programs must not see any of it. */
export function environmentOf(
  { home, temp, canary, port }: Places,
  mode: Mode | 'auto',
): Record<string, string> {
  const trap = `http://user:${canary}@127.0.0.1:${port}`;
  return {
    PATH: process.env['PATH'] ?? '',
    HOME: home,
    TMPDIR: temp,
    CODE_EXECUTOR_ISOLATION: mode,
    CANARY: canary,
    API_KEY: canary,
    AWS_SECRET_ACCESS_KEY: canary,
    ...Object.fromEntries(
      ['HTTP_PROXY', 'HTTPS_PROXY', 'ALL_PROXY', 'http_proxy', 'https_proxy', 'all_proxy'].map((name) => [
        name,
        trap,
      ]),
    ),
    DENO_DIR: join(home, 'deno'),
    DENO_AUTH_TOKENS: `${canary}@127.0.0.1:${port}`,
    DENO_V8_FLAGS: '--max-old-space-size=8000',
    DENO_COVERAGE_DIR: join(home, 'coverage'),
    OTEL_DENO: 'true',
    OTEL_EXPORTER_OTLP_ENDPOINT: trap,
    // Otherwise the server's own traces would go to the trap; Deno would still send metrics and logs.
    OTEL_TRACES_EXPORTER: 'none',
  };
}
