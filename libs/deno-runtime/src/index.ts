export { denoCommand, type OwnFiles } from './deno-command.js';
export { chooseDenoIsolation } from './deno-isolation.js';
export { DenoProcess } from './deno-process.js';
export { DenoRunner, type DenoRunnerOptions } from './deno-runner.js';
export { findDeno, minimumDenoVersion } from './find-deno.js';
export { runProgram } from './run-program.js';
export type { SpareOptions } from './spare-pool.js';
