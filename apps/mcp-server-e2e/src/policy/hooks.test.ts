import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { afterEach, describe, expect, test } from '@jest/globals';

import { denial, startHttp } from '../http/http-servers.js';
import { sdkClients } from '../protocol/era-clients.js';
import type { Form } from '../protocol/person.js';
import { auditRecordsOf } from '../server-under-test/audit-records.js';
import { createHome, removeHome } from '../server-under-test/home.js';
import { tokenHash } from '../server-under-test/started-http-server.js';
import { StartedServer } from '../server-under-test/started-server.js';
import { recordingServer } from '../upstream-servers/entries.js';

const hookScript = fileURLToPath(new URL('./deciding-hook.mjs', import.meta.url));
const tool = 'mcp__notes__note';

let server: StartedServer | undefined;
afterEach(async () => {
  await server?.close();
  server = undefined;
});

async function start(hook: object, env: Record<string, string> = {}): Promise<StartedServer> {
  const home = await createHome();
  const config = {
    mcpServers: { notes: recordingServer(join(home, 'calls')) },
    policy: { defaultAllowedTools: ['notes'], hook },
    sandbox: { spares: { typescript: 0, python: 0 } },
  };
  await writeFile(join(home, '.code-executor.json'), JSON.stringify(config));
  server = await StartedServer.start({}, env, home);
  return server;
}

/** What comes of calls that ask the hook to do this, all at once. */
async function outcomesOf(started: StartedServer, ways: readonly string[]): Promise<unknown> {
  const { result } = await started.run(
    `const call = (way) => callMCPTool('${tool}', { do: way }).catch(({ code, message }) => [code, message]);
     return Promise.all(${JSON.stringify(ways)}.map(call));`,
  );
  return result;
}

const callsOf = async ({ home }: StartedServer) =>
  (await readFile(join(home, 'calls'), 'utf8').catch(() => '')).split('\n').length - 1;
const noVerdict = [
  'unavailable',
  `${tool} was not called because the hook of the server (policy.hook) gave no verdict. Try again later; the log says what is wrong.`,
];
const denied = [
  'permission_denied',
  `The hook of the server (policy.hook) refused this call of ${tool}: stdio wants ${tool} of notes`,
];

describe('a command as policy.hook', () => {
  const hook = { command: [process.execPath, hookScript], timeoutMs: 3000 };

  test('allows and denies calls; a call that should be asked about fails at a client that cannot ask', async () => {
    const started = await start(hook);
    expect(await outcomesOf(started, ['allow', 'deny', 'ask'])).toEqual([
      'noted',
      denied,
      ['failed_precondition', expect.stringContaining(tool)],
    ]);
    expect(await callsOf(started)).toBe(1);
    const records = (await auditRecordsOf(started.home)).filter(({ type }) => type === 'hook');
    expect(records.map(({ action, status, toolName }) => [action, status, toolName]).sort()).toEqual([
      ['allow', 'success', tool],
      ['ask', 'success', tool],
      ['deny', 'rejected', tool],
    ]);
  });

  test('that crashes, hangs, writes something else or floods lets no call through', async () => {
    const started = await start(hook);
    const ways = ['crash', 'hang', 'garbage', 'flood', 'Allow', ''];
    expect(await outcomesOf(started, ways)).toEqual(ways.map(() => noVerdict));
    expect(await outcomesOf(started, ['allow'])).toEqual(['noted']);
    expect(await callsOf(started)).toBe(1);
    expect(started.stderr).toContain('policy.hook gave no verdict: ');
    const records = (await auditRecordsOf(started.home)).filter(({ type }) => type === 'hook');
    expect(records.filter(({ action, status }) => action === 'failed' && status === 'failure')).toHaveLength(
      6,
    );
  });

  test('that cannot be started lets no call through', async () => {
    const started = await start({ command: ['no-such-program'] });
    expect(await outcomesOf(started, ['allow'])).toEqual([noVerdict]);
  });
});

describe('a call that the hook wants a person to be asked about', () => {
  const config = {
    mcpServers: { notes: recordingServer('/dev/null') },
    policy: { defaultAllowedTools: ['notes'], hook: { command: [process.execPath, hookScript] } },
    sandbox: { spares: { typescript: 0, python: 0 } },
  };
  const code = `return await callMCPTool('${tool}', { do: 'ask' }).catch(({ code }) => code);`;

  test.each(sdkClients)(
    'is shown with its reason at %s, and made if the person agrees',
    async (_name, connect) => {
      const home = await createHome({ '.code-executor.json': JSON.stringify(config) });
      const forms: Form[] = [];
      const decisions = ['yes, once', 'no'];
      const onForm = (form: Form) => {
        const [key = ''] = form.requestedSchema.required ?? [];
        const decision = decisions[forms.push(form) - 1] ?? '';
        return { action: 'accept' as const, content: { [key]: decision } };
      };
      const client = await connect({ home, onForm, onToolsChanged: () => undefined });
      try {
        const outcome = async () => {
          const { structuredContent } = await client.callTool('executeTypescript', { code });
          return (structuredContent as { result: unknown }).result;
        };
        expect([await outcome(), await outcome()]).toEqual(['noted', 'permission_denied']);
        expect(forms.map(({ message }) => message)).toEqual(
          Array(2).fill(expect.stringContaining(`stdio wants ${tool} of notes`)),
        );
      } finally {
        await client.close();
        await removeHome(home);
      }
    },
  );

  test('is refused over POST /, where nobody can be asked; other verdicts hold there, too', async () => {
    const http = await startHttp({ ...config, http: { clients: { one: { tokenHash: tokenHash('one') } } } });
    const answerTo = (way: string) => http.call('one', tool, { do: way });
    expect(await answerTo('allow')).toMatchObject({ status: 200, body: { result: 'noted' } });
    expect(await answerTo('deny')).toMatchObject(denial(`http wants ${tool} of notes`));
    expect(await answerTo('ask')).toMatchObject({ body: { error: { code: 'failed_precondition' } } });
    expect(await answerTo('garbage')).toMatchObject({
      status: 503,
      body: { error: { code: 'unavailable' } },
    });
  });
});

describe('an address as policy.hook', () => {
  test('decides with a token from the environment; without an answer no call is made', async () => {
    const http = createServer((request, response) => {
      let body = '';
      request.on('data', (chunk: Buffer) => (body += chunk.toString()));
      request.on('end', () => {
        const { arguments: args, executionId } = JSON.parse(body) as {
          arguments: { do: string };
          executionId: string;
        };
        const isKnown = request.headers.authorization === 'Bearer hook-token' && /^exec_/.test(executionId);
        if (!isKnown) response.writeHead(401).end();
        else if (args.do === 'redirect') response.writeHead(302, { location: '/allow' }).end();
        else if (args.do === 'flood') response.end(' '.repeat(1_000_000));
        else if (args.do !== 'hang') response.end(JSON.stringify({ decision: args.do }));
      });
    });
    http.listen(0, '127.0.0.1');
    await once(http, 'listening');
    const url = `http://127.0.0.1:${(http.address() as AddressInfo).port}`;
    try {
      const hook = { url, headers: { Authorization: 'env:HOOK_AUTHORIZATION' }, timeoutMs: 1000 };
      const started = await start(hook, { HOOK_AUTHORIZATION: 'Bearer hook-token' });
      expect(await outcomesOf(started, ['allow', 'deny', 'redirect', 'flood', 'hang'])).toEqual([
        'noted',
        [
          'permission_denied',
          `The hook of the server (policy.hook) refused this call of ${tool} and gave no reason.`,
        ],
        noVerdict,
        noVerdict,
        noVerdict,
      ]);
      expect(await callsOf(started)).toBe(1);
    } finally {
      http.closeAllConnections();
      http.close();
    }
  });
});
