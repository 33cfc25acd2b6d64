import type { StandardSchemaV1 } from '@modelcontextprotocol/client';

import { isRecord } from '../json-record.js';

/** Any result: those who use one check it, and the output schemas of tools are not compiled. */
export const anyResult: StandardSchemaV1<unknown, Record<string, unknown>> = {
  '~standard': {
    version: 1,
    vendor: 'code-executor',
    validate: (value) =>
      isRecord(value) ? { value } : { issues: [{ message: 'its answer is no MCP result' }] },
  },
};
