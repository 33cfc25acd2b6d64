import * as z from 'zod';

import type { LanguageName } from '../language-names.js';
import { integer } from './fields.js';

/** How many processes wait for a program. */
const spareCounts = {
  typescript: integer(0, 1000, 'Unused TypeScript processes that wait for a program. Default: 4.'),
  python: integer(0, 1000, 'Unused Python processes that wait for a program, some 150 MB each. Default: 1.'),
} satisfies Record<LanguageName, z.ZodType>;

export const sandbox = z.strictObject({
  isolation: z
    .enum(['auto', 'strict', 'portable'])
    .meta({
      description:
        '`strict` has an operating-system layer beside the permissions of the runtime, `portable` has none, `auto` takes strict where it works. Default: auto.',
      env: 'CODE_EXECUTOR_ISOLATION',
      note: '"container" is not available yet',
    })
    .exactOptional(),
  maxConcurrent: integer(1, 256, 'Executions that run at once; of these at most 4 are Python. Default: 16.'),
  maxQueued: integer(0, 10_000, 'Executions that may wait for their turn. Default: 200.'),
  queueTimeoutMs: integer(1000, 300_000, 'Longest wait for a turn, in ms. Default: 30000.'),
  maxFinished: integer(
    0,
    100_000,
    'Executions that have ended and can still be looked up by their caller; the oldest go first. Default: 1000.',
  ),
  keepFinishedMs: integer(0, 86_400_000, 'How long they can be looked up, in ms. Default: 300000.'),
  maxOutputChars: integer(
    1000,
    10_000_000,
    'Characters of output kept per execution; the middle of more is left out. Default: 100000.',
  ),
  spares: z
    .strictObject({
      ...spareCounts,
      idleMs: integer(1000, 86_400_000, 'Spares unused for this long are ended, in ms. Default: 600000.'),
      maxMemoryMb: integer(0, 65_536, 'Resident memory of the spares of each language, in MB. Default: 512.'),
    })
    .exactOptional(),
});
