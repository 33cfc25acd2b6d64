export {
  type ContentFilter,
  type ContentFilterOptions,
  createContentFilter,
  type ScanResult,
  type SupportedPattern,
} from './content-filter.js';
export type { FilterStream } from './filter-stream.js';
export type { ViolationKind } from './pattern.js';
export type { Violation } from './violations.js';
