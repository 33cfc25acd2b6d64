import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { type LanguageName, languageNames } from '@code-executor/config';
import { fakeToolSource, isolationsUnderTest } from '@code-executor/contracts/testing';
import { createExecutor, type Executor, python, typescript } from '@code-executor/executor';
import { createGuardedFetch, type GuardedFetch } from '@code-executor/guarded-fetch';
import { DenoSandbox } from '@code-executor/sandbox-deno';
import { PyodideSandbox } from '@code-executor/sandbox-pyodide';

import { introductions } from './introductions.js';
import { contextOf } from './tool-context.test.support.js';
import { executionTool } from './toolsets/core/execution-tool.js';

/** Each posts a text to a granted host, then asks one that is not; its value is `[status, answer, error]`. */
const programs: Record<LanguageName, string> = {
  typescript: `
    const response = await fetch("http://api.example.com/echo", { method: "POST", body: "grüß" });
    const error = await fetch("http://other.example.com/").catch((error) => error.message);
    return [response.status, await response.json(), error];`,
  python: `
from pyodide.http import pyfetch
response = await pyfetch("http://api.example.com/echo", method="POST", body="grüß")
try:
    await pyfetch("http://other.example.com/")
except OSError as caught:
    error = str(caught)
[response.status, await response.json(), error]`,
};
const languages = { typescript, python };
const cases = isolationsUnderTest().flatMap((isolation) =>
  languageNames.map((language) => ({ isolation, language })),
);

describe.each(cases)('permissions.net in $language ($isolation)', ({ isolation, language }) => {
  let web: Server;
  let fetcher: GuardedFetch;
  let executor: Executor;
  let snapshotDir: string;
  beforeAll(async () => {
    web = createServer((request, response) => {
      let body = '';
      request.on('data', (chunk: Buffer) => (body += chunk.toString()));
      request.on('end', () => response.end(JSON.stringify({ host: request.headers.host, body })));
    });
    web.listen(0, '127.0.0.1');
    await once(web, 'listening');
    const { port } = web.address() as AddressInfo;
    // The server stands for the whole internet: names have a public address, and every way leads to it.
    fetcher = createGuardedFetch({
      lookup: () => Promise.resolve(['93.184.215.14']),
      connect: () => connect(port, '127.0.0.1'),
    });
    snapshotDir = await mkdtemp(join(tmpdir(), 'code-executor-snapshot-'));
    const options = { isolation, spares: { count: 0 } };
    executor = createExecutor({
      tools: fakeToolSource({}),
      languages: [
        { ...typescript, sandbox: new DenoSandbox(options) },
        { ...python, sandbox: new PyodideSandbox({ ...options, snapshotDir }) },
      ],
      fetcher,
      grants: { allowNetwork: ['api.example.com'] },
    });
  });
  afterAll(async () => {
    await executor.close();
    await fetcher.close();
    web.closeAllConnections();
    web.close();
    await rm(snapshotDir, { recursive: true, force: true });
  });

  const call = async (permissions: object) => {
    const tool = executionTool(languages[language], introductions[language], {
      host: () => Promise.resolve({ executor }),
      servers: [],
    });
    const context = contextOf({ id: 'stdio', kind: 'stdio' });
    return (await tool.call({ code: programs[language], permissions }, context)).structured;
  };

  test('reaches the granted host through the server, and no other', async () => {
    expect(await call({ net: ['api.example.com', 'other.example.com'] })).toMatchObject({
      status: 'succeeded',
      result: [
        200,
        { host: 'api.example.com', body: 'grüß' },
        expect.stringMatching(/other\.example\.com.*permissions\.net/),
      ],
      stderr: 'permissions.net "other.example.com" is outside security.allowNetwork and was not granted.\n',
    });
  });

  test('reaches no host that the request did not ask for', async () => {
    expect(await call({})).toMatchObject({
      status: 'failed',
      errorCode: 'user_error',
      error: expect.stringContaining('Ask for the host in permissions.net') as unknown,
    });
  });

  test('comes without files in Python', async () => {
    const report = await call({ read: [snapshotDir] });
    expect(report).toMatchObject(
      language === 'python'
        ? { errorCode: 'invalid_argument', error: expect.stringContaining('permissions.read') as unknown }
        : { errorCode: 'user_error', stderr: expect.stringContaining('security.allowRead') as unknown },
    );
  });
});
