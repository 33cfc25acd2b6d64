/** Whose sessions, executions and streams a client of /mcp can use, and how many. */
const http = (name) => `apps/mcp-server/src/mcp/http/${name}.ts`;
const endpoint = http('mcp-endpoint');
const sessions = http('sessions');
const routes = http('mcp-routes');

export const mcpOverHttp = {
  '/mcp is for own pages only': {
    edits: [
      ['libs/http-server/src/request-guard.ts', 'origin === undefined || own.includes(origin)', 'true'],
    ],
    attacks: ['PRX-50'],
  },
  '/mcp needs a token': {
    edits: [[routes, "authentication: 'token'", "authentication: 'open'"]],
    attacks: ['PRX-50'],
  },
  'one message in a request': {
    edits: [[endpoint, 'Array.isArray(body)', 'false']],
    attacks: ['PRX-51'],
  },
  'a session is for its own client': {
    edits: [[sessions, 'session?.owner === owner ? session : undefined', 'session']],
    attacks: ['PRX-52'],
  },
  'a kept call is for its own client': {
    edits: [
      [
        'apps/mcp-server/src/mcp/calls/kept-calls.ts',
        'call && isOf(call, caller) ? call : undefined',
        'call',
      ],
    ],
    attacks: ['PRX-53'],
  },
  'an execution is for its own client': {
    edits: [
      [
        'libs/executor/src/executions.ts',
        'execution && isSame(execution.caller, caller) ? execution : undefined',
        'execution',
      ],
    ],
    attacks: ['PRX-53'],
  },
  'streams of one client': {
    edits: [[routes, 'maxOpenPerClient = 256', 'maxOpenPerClient = 1e9']],
    attacks: ['PRX-55'],
  },
  'sessions of one client': {
    // Without the first, the client with the most sessions still loses its own first.
    edits: [
      [sessions, 'own.length >= maxPerOwner', 'false'],
      [sessions, 'this.#ofGreediest()', '[...this.#sessions.values()]'],
    ],
    attacks: ['PRX-55'],
  },
};
