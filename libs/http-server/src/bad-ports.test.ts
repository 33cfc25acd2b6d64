import { describe, expect, test } from '@jest/globals';

import { isBadPort, openFetchable } from './bad-ports.js';

/** `fetch` looks at the port before it gives the request to a dispatcher, and this one takes none. */
const goesNowhere = {
  dispatch: () => {
    throw new Error('allowed');
  },
};

async function isRefusedByFetch(port: number): Promise<boolean> {
  const init = { dispatcher: goesNowhere } as unknown as RequestInit;
  const reason: unknown = await fetch(`http://127.0.0.1:${port}`, init).catch((error: unknown) => error);
  return ((reason as Error).cause as Error).message === 'bad port';
}

test('isBadPort knows every port that fetch refuses', async () => {
  const refused: number[] = [];
  for (let port = 1; port <= 10_100; port++) if (await isRefusedByFetch(port)) refused.push(port);
  expect(refused).toContain(6000);
  expect(refused.filter((port) => !isBadPort(port))).toEqual([]);
});

describe('openFetchable', () => {
  test('opens again as long as the port is a bad one, and closes the rejected ones afterwards', async () => {
    const ports = [6000, 10_080, 40_000];
    const events: string[] = [];
    const opened = await openFetchable(() => {
      const port = ports.shift() ?? 0;
      events.push(`open ${port}`);
      return Promise.resolve({
        port,
        close: () => {
          events.push(`close ${port}`);
          return Promise.resolve();
        },
      });
    });
    expect(opened.port).toBe(40_000);
    expect(events).toEqual(['open 6000', 'open 10080', 'open 40000', 'close 6000', 'close 10080']);
    expect(isBadPort(40_000)).toBe(false);
  });
});
