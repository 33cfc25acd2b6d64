import { join } from 'node:path';

import type { LoadedConfig } from '@code-executor/config';
import type { Logger } from '@code-executor/contracts';
import { SchemaCache } from '@code-executor/schema-cache';

/** The tool lists that a server with this configuration keeps. */
export function openSchemaCache(
  { config, homeDir }: Pick<LoadedConfig, 'config' | 'homeDir'>,
  logger?: Logger,
): SchemaCache<unknown> {
  return new SchemaCache<unknown>({
    ...(homeDir !== undefined && { file: join(homeDir, 'schema-cache.json') }),
    ...config.schemaCache,
    ...(logger && { logger }),
  });
}
