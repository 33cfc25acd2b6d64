import * as z from 'zod';

import { flag, integer, path } from './fields.js';

export const audit = z
  .strictObject({
    enabled: flag(
      'Whether executions, calls and what was refused are recorded, without plaintext (see audit.code). Default: true.',
      'ENABLE_AUDIT_LOG',
    ),
    code: z
      .enum(['hash', 'full'])
      .meta({
        description:
          'What is recorded of a program: `hash` is its SHA-256, `full` also its text, as it is. Default: hash.',
      })
      .exactOptional(),
    path: path(
      'The folder of the records; a path that ends in .jsonl, .json, .log or .txt is a single file. Default: ~/.code-executor/audit-logs.',
      'AUDIT_LOG_PATH',
    ),
    retentionDays: integer(
      1,
      365,
      'For how many days records are kept in a folder. Default: 30.',
      'AUDIT_LOG_RETENTION_DAYS',
    ),
    maxMegabytes: integer(
      1,
      1_000_000,
      'What all records may take together, in MiB: the oldest are removed, and a single file is not written any more. Default: 512.',
    ),
    required: flag('Refuse executions while their records cannot be written. Default: false.'),
  })
  .refine(({ enabled = true, required = false }) => enabled || !required, {
    path: ['required'],
    error: 'is true and audit.enabled is not',
  });
