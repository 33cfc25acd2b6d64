import type { ProgramAttack } from './arena/program-attack.js';
import { httpAttacks } from './http/http-attacks.js';
import { pythonAttacks } from './python/python-attacks.js';
import { serverAttacks } from './server/server-attacks.js';
import { typescriptAttacks } from './typescript/typescript-attacks.js';

/** Every attack that is made in each isolation mode, in the order of docs/security/attacks.md. */
export const attacks: readonly ProgramAttack[] = [...typescriptAttacks, ...pythonAttacks];

/** Those over HTTP, and on the start and the surroundings of the server, which are made once. */
export const attacksMadeOnce = [...httpAttacks, ...serverAttacks];
