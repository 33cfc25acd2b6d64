import { z } from 'zod';

import type { LanguageName } from './language-names.js';
import { maxConnectTimeoutMs, serverEntryShape, serverNamePattern } from './server-entry.js';
import { text } from './text.js';
import { problemInServerRule, problemInToolPattern } from './tool-patterns.js';

/** An integer key with both bounds; `env` is the variable that overrides the file. */
const integer = (min: number, max: number, description: string, env?: string) =>
  z
    .int()
    .min(min)
    .max(max)
    .meta({ description, ...(env === undefined ? {} : { env }) })
    .exactOptional();
const flag = (description: string, env?: string) =>
  z
    .boolean()
    .meta({ description, ...(env === undefined ? {} : { env }) })
    .exactOptional();
const path = (description: string, env: string) => text().meta({ description, env }).exactOptional();
const list = (description: string) => z.array(text()).meta({ description }).exactOptional();
/** Full names of tools, or globs of them. */
const toolList = (description: string) =>
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
/** Names of clients of the HTTP door. */
export const clientIdPattern = /^[A-Za-z0-9_-]{1,64}$/;
/** The pattern in words. */
export const clientIdRule = 'letters, digits, "_" and "-", at most 64';
const serverName = z.string().regex(serverNamePattern);

const rateLimit = z.strictObject({
  enabled: flag('Whether requests over HTTP are limited, tool calls and listings each. Default: true.'),
  windowMs: integer(1000, 3_600_000, 'Length of the sliding window, in ms. Default: 60000.'),
  maxRequests: integer(1, 100_000, 'Requests of one client within it. Default: 30.'),
});

const security = z
  .strictObject({
    defaultTimeoutMs: integer(
      1000,
      300_000,
      'Time limit of an execution that asks for none, in ms. Default: 30000.',
    ),
    maxTimeoutMs: integer(
      1000,
      600_000,
      'Longest time limit that an execution may ask for, in ms. Default: 300000.',
    ),
    maxCodeSize: integer(1, 10_000_000, 'Longest program accepted, in characters. Default: 100000.'),
    allowRead: list('Files and folders that executions may be granted to read. Default: none.'),
    allowWrite: z
      .union([z.boolean(), z.array(text())])
      .meta({
        description:
          'Files and folders that executions may be granted to write: a list, `true` for all, `false` for none. Default: false.',
      })
      .exactOptional(),
    allowNetwork: list(
      'Hosts (`api.example.com`, `*.example.com`, `api.example.com:8443`, or `*` for all) that executions may be granted to fetch from. Default: none.',
    ),
    rateLimit: rateLimit.exactOptional(),
  })
  .refine(({ defaultTimeoutMs = 0, maxTimeoutMs = Infinity }) => defaultTimeoutMs <= maxTimeoutMs, {
    path: ['defaultTimeoutMs'],
    error: 'is above security.maxTimeoutMs',
  });

/** How many processes wait for a program. */
const spareCounts = {
  typescript: integer(0, 1000, 'Unused TypeScript processes that wait for a program. Default: 4.'),
  python: integer(0, 1000, 'Unused Python processes that wait for a program, some 150 MB each. Default: 1.'),
} satisfies Record<LanguageName, z.ZodType>;

const sandbox = z.strictObject({
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

const pool = z.strictObject({
  maxConcurrent: integer(
    1,
    1000,
    'Tool calls to upstream servers at once. Default: 100.',
    'POOL_MAX_CONCURRENT',
  ),
  maxQueued: integer(
    1,
    1000,
    'Tool calls that may wait for a free place; further ones are refused. Default: 200.',
    'POOL_QUEUE_SIZE',
  ),
  queueTimeoutMs: integer(
    1000,
    300_000,
    'Longest wait for a free place, in ms. Default: 30000.',
    'POOL_QUEUE_TIMEOUT_MS',
  ),
  failureThreshold: integer(
    1,
    1000,
    'Failures of an upstream server in a row after which its calls are refused for a while. Default: 5.',
  ),
  resetTimeoutMs: integer(
    1000,
    600_000,
    'How long they are refused until one call may try again, in ms. Default: 30000.',
  ),
  callTimeoutMs: integer(1000, 600_000, 'Time limit of one tool call, in ms. Default: 60000.'),
  connectTimeoutMs: integer(
    1000,
    maxConnectTimeoutMs,
    'How long an upstream server may take to start and list its tools, in ms; `npx` may have to fetch it first. Default: 120000.',
  ),
});

const discovery = z.strictObject({
  timeoutMs: integer(
    10,
    60_000,
    'Longest wait of a listing or a search for a server that starts, or for a list that is read again, in ms. Default: 500.',
  ),
});

const schemaCache = z.strictObject({
  store: text()
    .regex(/^rediss?:\/\//, 'must begin with redis:// or rediss://')
    .meta({
      description:
        'A Redis that keeps the tool lists for several servers, `redis://…` or `rediss://…`. Default: the file ~/.code-executor/schema-cache.json.',
      note: 'redis:// or rediss://',
    })
    .exactOptional(),
  ttlMs: integer(
    1,
    2_592_000_000,
    'For how long a tool list is fresh, in ms; an older one is used, too, while it is listed again. Default: 86400000.',
  ),
  maxEntries: integer(1, 100_000, 'Servers whose tool lists are kept. Default: 1000.'),
});

const policy = z.strictObject({
  ceiling: toolList(
    'Tools (names, globs such as `mcp__github__*`, or servers such as `github`) beyond which no execution may call any. Default: no ceiling; `[]` forbids all.',
  ),
  defaultAllowedTools: toolList(
    'Tools (names, globs or servers) that an execution may call without asking for them. Default: none.',
  ),
  servers: z
    .record(
      serverName,
      z.strictObject({
        allow: list(
          'Tools of this server (own or full names, or globs of them) that may be called; all others are blocked. Default: all.',
        ),
        deny: list(
          'Tools of this server (own or full names, or globs of them) that are blocked, whatever else allows them. Default: none.',
        ),
      }),
    )
    .superRefine((servers, context) => {
      for (const [server, rules] of Object.entries(servers)) {
        for (const [rule, patterns] of Object.entries(rules)) {
          for (const [index, pattern] of patterns.entries()) {
            const message = problemInServerRule(server, pattern);
            if (message !== undefined)
              context.addIssue({ code: 'custom', path: [server, rule, index], message });
          }
        }
      }
    })
    .exactOptional(),
  budget: z
    .strictObject({
      maxCalls: integer(1, 1_000_000, 'Tool calls that one execution may make. Default: 1000.'),
      maxConcurrent: integer(1, 1000, 'Tool calls of one execution at once; further ones wait. Default: 32.'),
      maxBytes: integer(
        1000,
        1_073_741_824,
        'Bytes of tool results that one execution may receive. Default: 67108864.',
      ),
    })
    .exactOptional(),
});

const clientRateLimit = z.strictObject({
  enabled: flag("Whether this client's requests are limited. Default: as in security.rateLimit."),
  windowMs: integer(1000, 3_600_000, 'Length of its sliding window, in ms. Default: as there.'),
  maxRequests: integer(1, 100_000, 'Its requests within it. Default: as there.'),
});

const client = z.strictObject({
  tokenHash: z
    .string()
    .regex(/^sha256:[0-9a-f]{64}$/)
    .meta({
      description: 'The SHA-256 of its token, as `code-executor token create` writes it. Required.',
      note: '"sha256:" and 64 digits of 0-9, a-f',
    }),
  policy: z
    .strictObject({
      allow: toolList(
        'Tools (names, globs or servers) that this client may call, instead of policy.defaultAllowedTools. Default: those.',
      ),
      deny: toolList('Tools (names, globs or servers) of these that it may not call. Default: none.'),
    })
    .exactOptional(),
  rateLimit: clientRateLimit.exactOptional(),
});

const http = z.strictObject({
  host: text()
    .meta({
      description: 'Where `--http` listens: `127.0.0.1`, `::1` or `localhost`. Default: 127.0.0.1.',
    })
    .exactOptional(),
  port: integer(1, 65_535, 'The port on which `--http` listens. Default: 3333.'),
  clients: z
    .record(z.string().regex(clientIdPattern), client)
    .superRefine((clients, context) => {
      const idOf = new Map<string, string>();
      for (const [id, { tokenHash }] of Object.entries(clients)) {
        const other = idOf.get(tokenHash);
        if (other === undefined) idOf.set(tokenHash, id);
        else context.addIssue({ code: 'custom', path: [id, 'tokenHash'], message: sameToken(other) });
      }
    })
    .exactOptional(),
});

/** With one token for two, nobody could tell which of them asks. */
function sameToken(other: string): string {
  return `is also that of http.clients.${other}; create a token for each`;
}

const audit = z
  .strictObject({
    enabled: flag(
      'Whether executions, calls and what was refused are recorded, without plaintext. Default: true.',
      'ENABLE_AUDIT_LOG',
    ),
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

/** Every key of the configuration file. All are optional: defaults live with the options they belong to. */
export const configSchema = z.strictObject({
  version: z.literal(1).meta({ description: 'Version of this format.' }).exactOptional(),
  mcpConfigPath: path(
    'The project file with MCP server definitions. Default: ./.mcp.json.',
    'MCP_CONFIG_PATH',
  ),
  projectOnly: flag('Leave out the servers of ~/.claude.json. Default: false.'),
  mcpServers: z.record(serverName, z.strictObject(serverEntryShape)).exactOptional(),
  security: security.exactOptional(),
  sandbox: sandbox.exactOptional(),
  executors: z
    .strictObject({
      typescript: typescript.exactOptional(),
      python: python.exactOptional(),
    } satisfies Record<LanguageName, z.ZodType>)
    .exactOptional(),
  pool: pool.exactOptional(),
  discovery: discovery.exactOptional(),
  schemaCache: schemaCache.exactOptional(),
  policy: policy.exactOptional(),
  http: http.exactOptional(),
  audit: audit.exactOptional(),
  log: z
    .strictObject({
      level: z
        .enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'])
        .meta({ description: 'The least severe messages that are logged. Default: info.', env: 'LOG_LEVEL' })
        .exactOptional(),
    })
    .exactOptional(),
});

/** What was set, by file or environment; an absent key means the default of the library that reads it. */
export type Config = z.infer<typeof configSchema>;
