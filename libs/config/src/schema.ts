import * as z from 'zod';

import { audit } from './schema/audit.js';
import { executors } from './schema/executors.js';
import { flag, path, serverName } from './schema/fields.js';
import { http } from './schema/http.js';
import { policy } from './schema/policy.js';
import { sandbox } from './schema/sandbox.js';
import { security } from './schema/security.js';
import { discovery, pool, schemaCache } from './schema/upstream.js';
import { serverEntryShape } from './server-entry.js';

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
  executors: executors.exactOptional(),
  pool: pool.exactOptional(),
  discovery: discovery.exactOptional(),
  schemaCache: schemaCache.exactOptional(),
  policy: policy.exactOptional(),
  http: http.exactOptional(),
  tools: z
    .strictObject({
      getExecution: flag(
        'Whether clients on stdio have the tool getExecution, as those over HTTP do. Default: false.',
      ),
    })
    .exactOptional(),
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
