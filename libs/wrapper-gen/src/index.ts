export { generateWrappers } from './generate-wrappers.js';
export type { WrapperFile } from './wrapper-file.js';
export { type WrapperChanges, writeWrappers } from './write-wrappers.js';
