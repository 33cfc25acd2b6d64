export { generateWrappers } from './generate-wrappers.js';
export type { WrapperFile } from './wrapper-file.js';
export { type WrapperChanges, type WriteOptions, writeWrappers } from './write-wrappers.js';
