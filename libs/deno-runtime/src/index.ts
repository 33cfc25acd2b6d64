export type { DenoLimits, Grants, OwnFiles } from './command/deno-command.js';
export { DenoProcess, type ExitStatus, maxFrameBytes } from './deno-process.js';
export { DenoRunner, type DenoRunnerOptions } from './deno-runner.js';
export { isPrivateFolder } from './command/server-folder.js';
export { findDeno, minimumDenoVersion } from './find-deno.js';
export { chooseIsolation, type ChosenIsolation, denoCommand, type Isolation } from './isolation.js';
export { type ProgramOptions, type ProgramOutcome, runProgram } from './run-program.js';
export { type SpareOptions, type SpareStatus } from './spare-pool.js';
