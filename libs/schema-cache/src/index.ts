export const placeholder = 'schema-cache';
