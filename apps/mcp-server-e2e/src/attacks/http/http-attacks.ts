import { bodies } from './bodies.js';
import { calls } from './calls.js';
import { crowd } from './crowd.js';
import type { HttpAttack } from './http-attack.js';
import { load } from './load.js';
import { mcp } from './mcp.js';
import { mcpSessions } from './mcp-sessions.js';
import { requests } from './requests.js';
import { tokens } from './tokens.js';

/** Every attack over HTTP, in the order of docs/security/attacks.md. */
export const httpAttacks: readonly HttpAttack[] = [
  ...tokens,
  ...requests,
  ...load,
  ...crowd,
  ...bodies,
  ...calls,
  ...mcp,
  ...mcpSessions,
];
