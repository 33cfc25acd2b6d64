import { spawn } from 'node:child_process';
import { PassThrough, Writable } from 'node:stream';

import { expect, test } from '@jest/globals';

import { BatchWriter } from './index.js';

const kibibyte = Buffer.alloc(1024, 'x');

test('says what was taken while a slow reader still has to take the rest', async () => {
  const batches: { bytes: number; take: () => void }[] = [];
  const reader = new Writable({
    writev: (chunks, take) => {
      const bytes = chunks.reduce((sum, { chunk }) => sum + (chunk as Buffer).length, 0);
      batches.push({ bytes, take: () => take() });
    },
    highWaterMark: 1,
  });
  const writer = new BatchWriter(reader);
  let written = 0;
  for (let n = 0; n < 100; n++) writer.write(kibibyte, () => written++);
  const taken: number[] = [];
  while (written < 100) {
    await new Promise(setImmediate);
    const batch = batches.shift();
    batch?.take();
    taken.push(batch?.bytes ?? 0);
  }
  expect(taken.reduce((sum, bytes) => sum + bytes, 0)).toBe(100 * 1024);
  expect(Math.max(...taken)).toBeLessThanOrEqual(16 * 1024);
});

test('keeps the order, and passes a message that is larger than a batch', async () => {
  const pipe = new PassThrough();
  const writer = new BatchWriter(pipe);
  const texts = ['a', 'b'.repeat(100_000), 'c', 'd'.repeat(20_000), 'e'];
  const written = Promise.all(
    texts.map((text) => new Promise<void>((resolve) => writer.write(`${text}\n`, resolve))),
  );
  let got = '';
  pipe.on('data', (chunk: Buffer) => (got += chunk.toString()));
  await written;
  expect(got).toBe(`${texts.join('\n')}\n`);
});

test('is done with everything when the reader is gone', async () => {
  const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], {
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  child.stdin.on('error', () => undefined);
  const writer = new BatchWriter(child.stdin);
  const written = Promise.all(
    Array.from({ length: 1000 }, () => new Promise<void>((resolve) => writer.write(kibibyte, resolve))),
  );
  child.kill('SIGKILL');
  await written;
});
