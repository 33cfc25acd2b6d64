import * as z from 'zod';

import type { LanguageName } from '../language-names.js';
import { text } from '../text.js';
import { flag, integer, path } from './fields.js';

const typescript = z
  .strictObject({
    enabled: flag('Whether TypeScript executions are offered. Default: true.'),
    denoPath: path(
      'The Deno binary to use, for Python too, instead of the installed npm package.',
      'DENO_PATH',
    ),
    heapMb: integer(16, 16_384, 'JavaScript heap of one execution in MB. Default: 128.'),
    memoryMb: integer(32, 65_536, 'Memory of one execution in MB. Default: 256.'),
  })
  .refine(({ heapMb = 0, memoryMb = Infinity }) => heapMb <= memoryMb, {
    path: ['heapMb'],
    error: 'is above executors.typescript.memoryMb',
  });

const python = z.strictObject({
  enabled: flag('Whether Python executions are offered. Default: true.'),
  memoryMb: integer(
    256,
    4096,
    'Memory of one execution in MB; the interpreter itself takes some 200. Default: 512.',
  ),
  packagesDir: text()
    .meta({
      description:
        'The folder of Python packages that `code-executor python add` fills. Default: ~/.code-executor/python/packages.',
    })
    .exactOptional(),
  indexUrl: text()
    .meta({
      description:
        'Where `code-executor python add` finds packages: the URL of a simple index or of a pyodide-lock.json, or a folder of wheels. Default: the packages built for the installed Pyodide.',
    })
    .exactOptional(),
});

export const executors = z.strictObject({
  typescript: typescript.exactOptional(),
  python: python.exactOptional(),
} satisfies Record<LanguageName, z.ZodType>);
