export const placeholder = 'wrapper-gen';
