import { z } from 'zod';

import { serverNamePattern } from '../server-entry.js';
import { text } from '../text.js';
import { problemInToolPattern } from '../tool-patterns.js';

/** An integer key with both bounds; `env` is the variable that overrides the file. */
export const integer = (min: number, max: number, description: string, env?: string) =>
  z
    .int()
    .min(min)
    .max(max)
    .meta({ description, ...(env === undefined ? {} : { env }) })
    .exactOptional();
export const flag = (description: string, env?: string) =>
  z
    .boolean()
    .meta({ description, ...(env === undefined ? {} : { env }) })
    .exactOptional();
export const path = (description: string, env: string) => text().meta({ description, env }).exactOptional();
export const list = (description: string) => z.array(text()).meta({ description }).exactOptional();
/** Full names of tools, or globs of them. */
export const toolList = (description: string) =>
  z
    .array(text())
    .meta({ description })
    .superRefine((patterns, context) => {
      for (const [index, pattern] of patterns.entries()) {
        const message = problemInToolPattern(pattern);
        if (message !== undefined) context.addIssue({ code: 'custom', path: [index], message });
      }
    })
    .exactOptional();
export const serverName = z.string().regex(serverNamePattern);
