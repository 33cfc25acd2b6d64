import type { ProgramAttack } from '../arena/program-attack.js';
import { betweenRuns } from './between-runs.js';
import { bridge } from './bridge.js';
import { limits } from './limits.js';
import { machine } from './machine.js';
import { pythonPipe } from './pipe.js';
import { pythonProcess } from './process.js';
import { programs } from './programs.js';
import { restored } from './restored.js';
import { wear } from './wear.js';

/** Every attack by programs in Python. */
export const pythonAttacks: readonly ProgramAttack[] = [
  ...bridge,
  ...machine,
  ...limits,
  ...programs,
  ...pythonPipe,
  ...betweenRuns,
  ...restored,
  ...pythonProcess,
  ...wear,
];
