import { createRequire } from 'node:module';

/** The version of this package. Its file stays beside `index.ts`, because a bundle has no folders. */
export const { version } = createRequire(import.meta.url)('../package.json') as { version: string };
