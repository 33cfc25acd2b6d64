export { createGuardedFetch, type GuardedFetch, type GuardedFetchOptions } from './guarded-fetch.js';
