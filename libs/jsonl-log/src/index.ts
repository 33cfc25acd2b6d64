export { JsonlLog, type JsonlLogOptions, type ReadOptions, type Retention } from './jsonl-log.js';
export type { LogPlace } from './log-files.js';
export type { BadLine } from './read-entries.js';
