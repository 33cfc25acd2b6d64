import { CodeExecutorError } from '@code-executor/contracts';
import { describe, expect, test } from '@jest/globals';

import { readHealthCheck } from './health-check.js';

describe('readHealthCheck', () => {
  test('reads an address, and nothing if no port is set', () => {
    expect(readHealthCheck({})).toBeUndefined();
    expect(readHealthCheck({ HEALTH_CHECK_HOST: '0.0.0.0' })).toBeUndefined();
    expect(readHealthCheck({ HEALTH_CHECK_PORT: '3000' })).toEqual({ host: '127.0.0.1', port: 3000 });
    const env = { HEALTH_CHECK_PORT: '65535', HEALTH_CHECK_HOST: '0.0.0.0' };
    expect(readHealthCheck(env)).toEqual({ host: '0.0.0.0', port: 65_535 });
  });

  test.each(['', '0', '65536', '1e3', '-1', '0x10', ' 5', '5abc', '08', '3000.5'])(
    'names the variable where the port is %j',
    (port) => {
      expect(() => readHealthCheck({ HEALTH_CHECK_PORT: port })).toThrow(
        `HEALTH_CHECK_PORT is ${JSON.stringify(port)} (expected a port from 1 to 65535).`,
      );
    },
  );

  test('names the variable if the host is empty', () => {
    const read = () => readHealthCheck({ HEALTH_CHECK_PORT: '3000', HEALTH_CHECK_HOST: '' });
    expect(read).toThrow(CodeExecutorError);
    expect(read).toThrow('HEALTH_CHECK_HOST is empty');
  });
});
