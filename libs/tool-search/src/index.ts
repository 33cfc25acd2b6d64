export { type SearchOptions, searchTools } from './search-tools.js';
export type { ToolMatch } from './tool-index.js';
