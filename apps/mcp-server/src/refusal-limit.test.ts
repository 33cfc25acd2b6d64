import type { RefusedRequestEvent } from '@code-executor/contracts';
import { afterEach, describe, expect, jest, test } from '@jest/globals';

import { RefusalLimit } from './refusal-limit.js';

afterEach(() => {
  jest.useRealTimers();
});

const refused = (clientId?: string): RefusedRequestEvent => ({
  type: clientId === undefined ? 'auth_failure' : 'rate_limited',
  status: 'rejected',
  errorCode: clientId === undefined ? 'unauthenticated' : 'unavailable',
  clientKind: 'http',
  timestamp: '2026-11-21T12:00:00.000Z',
  ...(clientId !== undefined && { clientId }),
});

describe('RefusalLimit', () => {
  test('records a hundred refusals of a client in a minute, then how many more there were', async () => {
    jest.useFakeTimers();
    const written: RefusedRequestEvent[] = [];
    const records = new RefusalLimit((event) => void written.push(event));
    for (let n = 0; n < 150; n++) await records.add(refused());
    await records.add(refused('ci'));
    expect(written).toEqual([...Array.from({ length: 100 }, () => refused()), refused('ci')]);

    await jest.advanceTimersByTimeAsync(60_000);
    expect(written.slice(101)).toEqual([{ ...refused(), count: 50 }]);

    // A new minute, in which they have records again.
    await records.add(refused());
    await records.flush();
    expect(written.slice(102)).toEqual([refused()]);
  });
});
