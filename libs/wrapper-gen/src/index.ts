export { generateWrappers } from './generate-wrappers.js';
export type { WrapperFile } from './wrapper-file.js';
export type { IndexedServer, ServerModule, WrapperForm } from './wrapper-form.js';
export { typeScriptWrappers } from './typescript-wrappers.js';
export { pythonWrappers } from './python-wrappers.js';
export { type WrapperChanges, type WriteOptions, writeWrappers } from './write-wrappers.js';
