export { isPrivateFolder } from './is-private-folder.js';
export { makePrivateFolder } from './make-private-folder.js';
export { ownershipProblem } from './ownership.js';
export { type ReadOptions, readRegularFile, type RegularFile } from './read-regular-file.js';
export { replaceFile, type ReplaceOptions } from './replace-file.js';
export { rewriteFile } from './rewrite-file.js';
export { takeLock } from './take-lock.js';
export { unusableFile } from './unusable-file.js';
