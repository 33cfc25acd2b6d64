import { constants, copyFile, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { noPermissions } from '@code-executor/contracts';
import { fakeToolSource, isolationsUnderTest } from '@code-executor/contracts/testing';
import { findDeno } from '@code-executor/deno-runtime';

import { DenoSandbox } from './deno-sandbox.js';

describe.each(isolationsUnderTest())('A process that cannot start (%s)', (isolation) => {
  let folder: string;
  let sandbox: DenoSandbox;
  const denoPath = () => join(folder, 'deno');
  beforeAll(async () => {
    folder = await realpath(await mkdtemp(join(tmpdir(), 'failed starts-')));
    await copyFile(await findDeno(), denoPath(), constants.COPYFILE_FICLONE);
    sandbox = new DenoSandbox({ isolation, denoPath: denoPath(), spares: { count: 0 } });
  });
  afterAll(async () => {
    await sandbox.close();
    await rm(folder, { recursive: true });
  });
  const run = () =>
    sandbox.execute({
      code: 'return 1',
      timeoutMs: 20_000,
      permissions: noPermissions,
      tools: fakeToolSource({}),
    });

  test('is reported without paths of the host, which are only in the cause for the log', async () => {
    expect((await run()).value).toBe(1);
    await rm(denoPath());
    const missing = await run().catch((reason: unknown) => reason as Error);
    expect(missing).toMatchObject({ code: 'failed_precondition' });
    const { message, cause } = missing as Error & { cause: Error };
    expect(message).toMatch(/^The sandbox process could not start: [^/]*deno: [^/]+$/);
    expect(cause.message).toContain(isolation === 'strict' ? denoPath() : '/app/deno');
    await writeFile(denoPath(), 'no binary');
    await expect(run()).rejects.toMatchObject({
      message: expect.not.stringContaining(folder) as unknown,
    });
  });
});
