import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

import type { HookedCall } from '@code-executor/contracts';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';

import { createPolicyHook, type PolicyHookOptions } from './index.js';

const call: HookedCall = {
  toolName: 'mcp__mail__send',
  server: 'mail',
  args: { to: 'ada' },
  executionId: 'exec_1',
  caller: { id: 'dashboard', kind: 'http', policy: { allow: ['mail'] } },
};
const seen = {
  tool: 'mcp__mail__send',
  server: 'mail',
  arguments: { to: 'ada' },
  executionId: 'exec_1',
  caller: { id: 'dashboard', kind: 'http' },
};

let warnings: [object, string][];
beforeEach(() => {
  warnings = [];
});
const logger = {
  debug() {},
  info() {},
  error() {},
  warn: (fields: object, message: string) => void warnings.push([fields, message]),
};

/** A hook that runs this JavaScript; `call` is what it gets. */
const script = (code: string, options: Partial<PolicyHookOptions> = {}) =>
  createPolicyHook({
    command: [
      process.execPath,
      '-e',
      `const call = JSON.parse(require('fs').readFileSync(0, 'utf8')); const say = (v) => console.log(JSON.stringify(v)); ${code}`,
    ],
    logger,
    ...options,
  });

const failing = (message: string) => ({ code: 'unavailable', message });

test.each<[string, PolicyHookOptions]>([
  ['nothing', {}],
  ['an empty command', { command: [] }],
  ['a command and a url', { command: ['true'], url: 'http://127.0.0.1' }],
  ['another protocol', { url: 'file:///etc/passwd' }],
])('refuses %s', (_what, options) => {
  expect(() => createPolicyHook(options)).toThrow(expect.objectContaining({ code: 'invalid_argument' }));
});

describe('a command', () => {
  test.each([
    ["say({ decision: 'allow' })", { decision: 'allow' }],
    ["say({ decision: 'deny', reason: 'not\\u0007 today' })", { decision: 'deny', reason: 'not� today' }],
    ["say({ decision: 'ask', reason: 'x'.repeat(600) })", { decision: 'ask', reason: 'x'.repeat(500) }],
    [
      "say({ decision: 'allow', reason: JSON.stringify(call) })",
      { decision: 'allow', reason: JSON.stringify(seen) },
    ],
    [
      "say({ decision: 'allow', reason: Object.keys(process.env).join() + process.env.A })",
      { decision: 'allow', reason: 'A1' },
    ],
  ])('that does %s decides so', async (code, verdict) => {
    expect(await script(code, { env: { A: '1' } })(call)).toEqual(verdict);
  });

  test('may decide without reading the call', async () => {
    const command = [process.execPath, '-e', `console.log('{"decision":"allow"}')`];
    const large = { ...call, args: { text: 'x'.repeat(10_000_000) } };
    expect(await createPolicyHook({ command })(large)).toEqual({ decision: 'allow' });
  });

  test.each([
    ['process.exit(3)', 'it ended with 3'],
    ["say({ decision: 'allow' }); process.exit(1)", 'it ended with 1'],
    ["process.kill(process.pid, 'SIGSEGV')", 'it ended with SIGSEGV'],
    ['', 'its answer is not JSON'],
    ["say({ decision: 'allow' }); say({ decision: 'deny' })", 'its answer is not JSON'],
    ["say(['allow'])", 'its answer is not one JSON object'],
    ["say({ decision: 'Allow' })", 'the decision in its answer is not allow, deny or ask'],
    ["say({ decision: 'allow', reason: 1 })", 'the reason in its answer is not a text'],
    [
      "say({ decision: 'allow', 'expires\\u0007': 1 })",
      'its answer has the field "expires�", besides decision and reason',
    ],
    [
      "process.stdout.write('x'.repeat(1e6)); setInterval(() => process.stdout.write('x'), 1)",
      'its answer is longer than 64 KB',
    ],
  ])('that does %s gives no verdict', async (code, message) => {
    await expect(script(code)(call)).rejects.toMatchObject(failing(message));
  });

  test('that cannot be started gives no verdict', async () => {
    const hook = createPolicyHook({ command: ['no-such-program-here'], logger });
    await expect(hook(call)).rejects.toMatchObject(failing('its command cannot be started (ENOENT)'));
  });

  test('has its last words in the log, once in ten seconds', async () => {
    const hook = script("console.error('no\\u001b rule'); process.exit(1)");
    await expect(hook(call)).rejects.toMatchObject(failing('it ended with 1'));
    await expect(hook(call)).rejects.toMatchObject(failing('it ended with 1'));
    expect(warnings).toEqual([
      [{ tool: 'mcp__mail__send', stderr: 'no� rule' }, 'policy.hook gave no verdict: it ended with 1'],
    ]);
  });

  describe('that starts others', () => {
    let folder: string;
    beforeEach(async () => {
      folder = await mkdtemp(join(tmpdir(), 'policy-hook-'));
    });
    afterEach(() => rm(folder, { recursive: true }));
    /** Starts a process that holds stdout open and writes its own id to a file. */
    const starting = (then: string) => {
      const file = JSON.stringify(join(folder, 'pid'));
      const other = `require('fs').writeFileSync(${file}, String(process.pid)); setInterval(() => {}, 1000)`;
      return `require('child_process').spawn(process.execPath, ['-e', ${JSON.stringify(other)}], { stdio: 'inherit' });
        const wait = () => require('fs').existsSync(${file}) ? (${then}) : setTimeout(wait, 5); wait();`;
    };
    const isGone = async () => {
      const { readFile } = await import('node:fs/promises');
      const pid = Number(await readFile(join(folder, 'pid'), 'utf8'));
      while (existsSync(`/proc/${pid}`)) await delay(5);
      return true;
    };

    test('ends with them once it has ended', async () => {
      const hook = script(starting("say({ decision: 'allow' }), process.exit(0)"));
      expect(await hook(call)).toEqual({ decision: 'allow' });
      expect(await isGone()).toBe(true);
    });

    test('ends with them at the time limit', async () => {
      const hook = script(starting('0'), { timeoutMs: 1500 });
      await expect(hook(call)).rejects.toMatchObject(
        failing('it did not answer within 1500 ms (policy.hook.timeoutMs)'),
      );
      expect(await isGone()).toBe(true);
    });

    test('ends with them when the call is cancelled', async () => {
      const cancelling = new AbortController();
      const verdict = script(starting('0'))(call, cancelling.signal);
      while (!existsSync(join(folder, 'pid'))) await delay(5);
      cancelling.abort(new Error('enough'));
      await expect(verdict).rejects.toThrow('enough');
      expect(await isGone()).toBe(true);
      expect(warnings).toEqual([]);
    });
  });
});

describe('an address', () => {
  type Answer = (request: IncomingMessage, response: ServerResponse, body: string) => void;
  let answer: Answer;
  const server = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk: Buffer) => (body += chunk.toString()));
    request.on('end', () => answer(request, response, body));
  });
  let url: string;
  beforeEach(async () => {
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/decide`;
  });
  afterEach(() => {
    server.closeAllConnections();
    return new Promise((resolve) => server.close(resolve));
  });

  test('gets the call and the headers in a POST, and decides', async () => {
    answer = ({ method, headers, url: path }, response, body) => {
      const { authorization, 'content-type': type } = headers;
      const reason = JSON.stringify([method, path, authorization, type, JSON.parse(body) as object]);
      response.end(JSON.stringify({ decision: 'ask', reason }));
    };
    const hook = createPolicyHook({ url, headers: { authorization: 'Bearer secret' } });
    const { decision, reason } = await hook(call);
    expect([decision, JSON.parse(reason ?? '')]).toEqual([
      'ask',
      ['POST', '/decide', 'Bearer secret', 'application/json', seen],
    ]);
  });

  test.each<[string, Answer, string]>([
    [
      '500',
      (_request, response) => response.writeHead(500).end('{"decision":"allow"}'),
      'it answered with the status 500',
    ],
    [
      'a redirect',
      (_request, response) => response.writeHead(307, { location: '/elsewhere' }).end(),
      'it answered with the status 307',
    ],
    ['a page', (_request, response) => response.end('<html>'), 'its answer is not JSON'],
    [
      'too much',
      (_request, response) => response.end('x'.repeat(1_000_000)),
      'its answer is longer than 64 KB',
    ],
    ['by hanging up', (request) => request.socket.destroy(), 'it cannot be reached'],
    ['never', () => {}, 'it did not answer within 300 ms (policy.hook.timeoutMs)'],
    [
      'by half',
      (_request, response) => void response.write('{"decision":'),
      'it did not answer within 300 ms (policy.hook.timeoutMs)',
    ],
  ])('that answers %s gives no verdict', async (_what, how, message) => {
    answer = how;
    const hook = createPolicyHook({ url, timeoutMs: 300, logger });
    await expect(hook(call)).rejects.toMatchObject(failing(message));
  });

  test('is asked about 16 calls at once, and then about the others in their order', async () => {
    const open: ServerResponse[] = [];
    answer = (_request, response) => void open.push(response);
    const hook = createPolicyHook({ url });
    const ended: number[] = [];
    const gone = new AbortController();
    const asked = Array.from({ length: 20 }, (_, index) =>
      hook(call, index === 17 ? gone.signal : undefined).then(() => ended.push(index)),
    );
    const left = expect(asked[17]).rejects.toThrow('enough');
    while (open.length < 16) await delay(5);
    gone.abort(new Error('enough'));
    await left;
    expect(open).toHaveLength(16);
    while (ended.length < 19) {
      open.shift()?.end('{"decision":"allow"}');
      await delay(5);
    }
    expect(ended.slice(16)).toEqual([16, 18, 19]);
  });
});
