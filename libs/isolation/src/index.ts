export { chooseIsolation, type ChosenIsolation, type Isolation } from './choose-isolation.js';
export type { IsolatedCommand, IsolatedCommandOptions, Walls } from './command.js';
export { firstLineOf } from './first-line.js';
export type { Grants } from './grants.js';
export { isolatedCommand } from './isolated-command.js';
export { isServerFolder } from './portable/server-folder.js';
export type { ExitStatus } from './process/exit-status.js';
export { IsolatedProcess } from './process/isolated-process.js';
