export const placeholder = 'tool-search';
