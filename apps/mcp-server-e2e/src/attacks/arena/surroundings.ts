import { chmod } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { createHome } from '../../server-under-test/home.js';
import type { Mode } from './mode.js';
import { layOut, type Places } from './places.js';
import { Traps } from './traps.js';
import { callsFile } from './upstream-calls.js';

const upstream = fileURLToPath(new URL('./upstream-server.mjs', import.meta.url));

/** What lies around a server that is attacked. */
export interface Surroundings {
  places: Places;
  traps: Traps;
}

/** A home of its own for a server, full of secrets, and the traps beside it. */
export async function surround(): Promise<Surroundings> {
  const home = await createHome();
  // Sandboxes run as another user in the user name space; nothing may rest on the folder being closed.
  await chmod(home, 0o755);
  const traps = new Traps();
  const sockets = { socket: join(home, 'socket'), abstractSocket: basename(home) };
  const port = await traps.listen(sockets.socket, sockets.abstractSocket);
  return { places: { ...(await layOut(home)), ...sockets, port }, traps };
}

/** Upstream servers that misbehave when they are asked to, and what an operator permits of them. */
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
      // A host means its scheme's own port; the traps have another.
      allowNetwork: ['*', `*:${places.port}`],
    },
    policy: {
      ceiling: ['mcp__fixture__*', 'mcp__other__echo', 'mcp__flood__*'],
      servers: { fixture: { deny: ['secret'] } },
    },
    // A listing has everything, so that an attack can look at it.
    discovery: { timeoutMs: 20_000 },
    // One, so that whatever else lives is a process too many.
    sandbox: { spares: { typescript: 1, python: 0 } },
  };
}

/** What a server may find in its environment, secrets included; its programs must see nothing of it. */
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
    // The server's own traces would go there; Deno has metrics and logs, too.
    OTEL_TRACES_EXPORTER: 'none',
  };
}
