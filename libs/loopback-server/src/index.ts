export const placeholder = 'loopback-server';
