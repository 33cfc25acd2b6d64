export const placeholder = 'schema-types';
