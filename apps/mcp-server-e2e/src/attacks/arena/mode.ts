/** The isolation mode of the server that is attacked. */
export type Mode = 'strict' | 'portable';
