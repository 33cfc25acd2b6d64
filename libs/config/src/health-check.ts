import { CodeExecutorError } from '@code-executor/contracts';

import { shorten } from './key-path.js';
import { readVariable } from './references.js';

/** The address of probes and metrics while MCP is on stdio. */
export interface HealthCheckAddress {
  host: string;
  port: number;
}

/**
 * The address that `HEALTH_CHECK_PORT` (1 to 65535) and `HEALTH_CHECK_HOST` (default 127.0.0.1) name; undefined without
 * a port. Throws `invalid_argument` for an invalid one.
 */
export function readHealthCheck(env: NodeJS.ProcessEnv = process.env): HealthCheckAddress | undefined {
  const text = readVariable(env, 'HEALTH_CHECK_PORT');
  const host = readVariable(env, 'HEALTH_CHECK_HOST');
  if (host === '') {
    throw new CodeExecutorError(
      'invalid_argument',
      'HEALTH_CHECK_HOST is empty; set an address or unset it.',
    );
  }
  if (text === undefined) return undefined;
  const port = /^[1-9]\d{0,4}$/.test(text) ? Number(text) : 0;
  if (port < 1 || port > 65_535) {
    const problem = `HEALTH_CHECK_PORT is ${shorten(text)} (expected a port from 1 to 65535).`;
    throw new CodeExecutorError('invalid_argument', problem);
  }
  return { host: host ?? '127.0.0.1', port };
}
