import type { ProgramAttack } from '../arena/program-attack.js';
import { betweenRuns } from './between-runs.js';
import { bridge } from './bridge.js';
import { limits } from './limits.js';
import { machine } from './machine.js';
import { pythonPipe } from './pipe.js';
import { pythonProcess } from './process.js';
import { programs } from './programs.js';
import { snapshotAndPackages } from './snapshot-and-packages.js';
import { manyExecutions } from './many-executions.js';

/** Every attack by Python programs. */
export const pythonAttacks: readonly ProgramAttack[] = [
  ...bridge,
  ...machine,
  ...limits,
  ...programs,
  ...pythonPipe,
  ...betweenRuns,
  ...snapshotAndPackages,
  ...pythonProcess,
  ...manyExecutions,
];
