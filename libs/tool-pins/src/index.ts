export type { DefinitionPart } from './definition.js';
export type { ChangedTool, PendingChange } from './list-changes.js';
export { approveChanges, forgetServer, type PinnedServer, readChanges, readPins } from './pin-file.js';
export {
  PinnedTools,
  type PinnedToolsOptions,
  type PinningPolicy,
  type PinningStatus,
} from './pinned-tools.js';
export { fileName as pinsFileName } from './pins-text.js';
export type { TextChange, ToolChange } from './tool-change.js';
