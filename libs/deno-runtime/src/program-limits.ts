/** Between SIGTERM and SIGKILL. */
export const killGraceMs = 1000;
/** What a process may have on disk in portable isolation, and how often that is looked at. */
export const maxDiskBytes = 32 * 1024 * 1024;
export const diskWatchMs = 200;
/** How long a process may take to start and to load what the program needs. None of it is the program's own time. */
export const maxStartMs = 60_000;
