/** How programs are walled off in the server that is attacked. */
export type Mode = 'strict' | 'portable';
