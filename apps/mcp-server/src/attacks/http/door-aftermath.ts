import assert from 'node:assert/strict';

import { checkFiles, checkMemory, checkSecrets } from '../aftermath.js';
import { takeRecords } from '../audit-records.js';
import { type Door } from './door.js';

/** What has to be true after every attack on the door, whatever came of it. */
export async function checkDoorAftermath(door: Door): Promise<void> {
  const { status, text } = await door.call('mcp__fixture__echo', { answer: 42 });
  assert.deepEqual([status, text], [200, '{"result":{"answer":42}}']);
  await door.takeUpstreamCalls();
  const words = door.words();
  door.forgetWords();
  const records = await takeRecords(door.places);
  checkSecrets({ ...words, records }, [door.places.canary, ...Object.values(door.tokens)]);
  assert.deepEqual(door.takeCaught(), [], 'Somebody talked to a trap.');
  await checkFiles(door.places);
  checkMemory(door.pid);
}
