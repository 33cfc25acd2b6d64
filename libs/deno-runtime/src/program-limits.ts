/** The time between SIGTERM and SIGKILL. */
export const killGraceMs = 1000;
/** How much a process may store on disk in portable isolation, and how often that is checked. */
export const maxDiskBytes = 32 * 1024 * 1024;
export const diskWatchMs = 200;
/** How long a process may take to start and to load what the program needs. It does not count as the program's time. */
export const maxStartMs = 60_000;
