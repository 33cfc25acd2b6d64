import type { ProgramAttack } from './arena/program-attack.js';
import { httpAttacks } from './http/http-attacks.js';
import { pythonAttacks } from './python/python-attacks.js';
import { serverAttacks } from './server/server-attacks.js';
import { typescriptAttacks } from './typescript/typescript-attacks.js';

/** The attacks that run in each isolation mode, in the order of docs/security/attacks.md. */
export const attacks: readonly ProgramAttack[] = [...typescriptAttacks, ...pythonAttacks];

/** The attacks that run once: over HTTP, and on the start and the environment of the server. */
export const attacksRunOnce = [...httpAttacks, ...serverAttacks];
