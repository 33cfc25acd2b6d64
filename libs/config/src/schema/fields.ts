import * as z from 'zod';

import { serverNamePattern } from '../server-entry.js';
import { text } from '../text.js';
import { problemInAskedPattern, problemInOwnToolPattern, problemInToolPattern } from '../tool-patterns.js';

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
/** A list of patterns; `problemIn` says what is wrong with one. */
const patternList = (problemIn: (pattern: string) => string | undefined) => (description: string) =>
  z
    .array(text())
    .meta({ description })
    .superRefine((patterns, context) => {
      for (const [index, pattern] of patterns.entries()) {
        const message = problemIn(pattern);
        if (message !== undefined) context.addIssue({ code: 'custom', path: [index], message });
      }
    })
    .exactOptional();
/** Full names of tools, or globs of them. */
export const toolList = patternList(problemInToolPattern);
/** Names of the product's own tools that run programs, or globs of them. */
export const ownToolList = patternList(problemInOwnToolPattern);
/** Both of these. */
export const askedToolList = patternList(problemInAskedPattern);
export const serverName = z.string().regex(serverNamePattern);
