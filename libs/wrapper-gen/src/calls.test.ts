import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { execFile } from 'node:child_process';
import { basename, dirname, join } from 'node:path';
import { promisify } from 'node:util';

import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import ts from 'typescript';

import { generateWrappers } from './generate-wrappers.js';
import { pythonWrappers } from './python-wrappers.js';
import { typeScriptWrappers } from './typescript-wrappers.js';
import { inFolder, place, runPython, toolOf } from './wrappers.test.kit.js';

const string = { type: 'string' };
const tools = [
  toolOf('my-server', 'create-it', {
    parameters: {
      type: 'object',
      properties: { from: string, 'a-b': string, c: string },
      required: ['from'],
    },
  }),
  toolOf('my-server', 'anything', { parameters: { type: 'object', additionalProperties: true } }),
];

/** The paths that were requested. */
const requested: string[] = [];

/** Answers as the argument `from` of the tool says: with the request itself, or with a status and a body. */
const server = createServer((request, response) => {
  requested.push(request.url ?? '');
  void bodyOf(request).then((body) => {
    const { toolName, params } = JSON.parse(body || '{"params":{}}') as {
      toolName: string;
      params: Record<string, string>;
    };
    const asked = /^(\d+) (.*)$/s.exec(params['from'] ?? '');
    const seen = {
      path: request.url,
      method: request.method,
      token: request.headers.authorization,
      toolName,
      params,
    };
    response.writeHead(Number(asked?.[1] ?? 200), { location: '/elsewhere' });
    response.end(asked ? asked[2] : JSON.stringify({ result: seen }));
  });
});

async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
}

let env: Record<string, string>;
beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  env = { CODE_EXECUTOR_PROXY_URL: `http://127.0.0.1:${port}`, CODE_EXECUTOR_AUTH_TOKEN: 'secret' };
});
afterAll(() => void server.close());

async function runTypeScript(code: string, variables: Record<string, string>): Promise<string> {
  return inFolder(async (folder) => {
    await writeFile(join(folder, 'package.json'), '{ "type": "module" }');
    const paths = await place(folder, generateWrappers(tools, typeScriptWrappers));
    const out = join(folder, 'out');
    await mkdir(out);
    const options = { module: ts.ModuleKind.ESNext, target: ts.ScriptTarget.ES2022 };
    for (const path of [...paths]) {
      const { outputText } = ts.transpileModule(await readFile(path, 'utf8'), { compilerOptions: options });
      await writeFile(join(out, basename(path).replace('.ts', '.js')), outputText);
    }
    const main = join(out, 'main.js');
    await writeFile(
      main,
      `import { myServer, McpToolError, ToolNotAllowedError } from './index.js';\n${code}`,
    );
    const running = await promisify(execFile)(process.execPath, [main], {
      cwd: dirname(main),
      env: variables,
    });
    return running.stdout;
  });
}

async function runPythonWrappers(code: string, variables: Record<string, string>): Promise<string> {
  return inFolder(async (folder) => {
    await place(folder, generateWrappers(tools, pythonWrappers));
    return runPython(
      `import json\nfrom python import my_server, McpToolError, ToolNotAllowedError\n${code}`,
      folder,
      '',
      { ...process.env, ...variables },
    );
  });
}

const request = { path: '/', method: 'POST', token: 'Bearer secret', toolName: 'mcp__my-server__create-it' };

describe('generated code calls the server', () => {
  test('from TypeScript', async () => {
    const printed = await runTypeScript(
      `console.log(JSON.stringify([await myServer.createIt({ from: 'x', 'a-b': 'y' }), (await myServer.anything()).params]))`,
      env,
    );
    expect(JSON.parse(printed)).toEqual([{ ...request, params: { from: 'x', 'a-b': 'y' } }, {}]);
  });

  test('from Python', async () => {
    const printed = await runPythonWrappers(
      `print(json.dumps([my_server.create_it(from_="x", a_b="y"), my_server.anything(z=[1])["params"]]))`,
      env,
    );
    expect(JSON.parse(printed)).toEqual([{ ...request, params: { from: 'x', 'a-b': 'y' } }, { z: [1] }]);
  });

  const error = { code: 'unavailable', message: 'It rests.', server: 'my-server', retryAfterMs: 500 };
  const unknownReason = 'The call failed; the server does not say why.';
  const unexplained = ['McpToolError', 'internal', unknownReason, request.toolName, null, null];
  test.each<[string, string, (string | number | null)[]]>([
    [
      'an error',
      `503 ${JSON.stringify({ error })}`,
      ['McpToolError', 'unavailable', 'It rests.', request.toolName, 'my-server', 500],
    ],
    [
      'a denial',
      '403 {"error":{"code":"permission_denied","message":"No.","tool":"t"}}',
      ['ToolNotAllowedError', 'permission_denied', 'No.', 't', null, null],
    ],
    ['an answer without a reason', '500 {}', unexplained],
    ['a list instead of an object', '200 []', unexplained],
    [
      'an answer that is not JSON',
      '200 <html>',
      ['McpToolError', 'unavailable', 'No answer from Code Executor', request.toolName, null, null],
    ],
    [
      'a redirect',
      '302 {"result":1}',
      ['McpToolError', expect.any(String) as unknown as string, '', request.toolName, null, null],
    ],
  ])('throws %s as an exception', async (_, from, [kind, code, message, ...rest]) => {
    const typescript = await runTypeScript(
      `try { await myServer.createIt({ from: ${JSON.stringify(from)} }); } catch (e) {
  console.log(JSON.stringify([e.name, e.code, e.message, e.tool, e.server ?? null, e.retryAfterMs ?? null, e instanceof McpToolError]));
}`,
      env,
    );
    const python = await runPythonWrappers(
      `try: my_server.create_it(from_=${JSON.stringify(from)})
except McpToolError as e: print(json.dumps([type(e).__name__, e.code, str(e), e.tool, e.server, e.retry_after_ms, True]))`,
      env,
    );
    for (const printed of [typescript, python]) {
      expect(JSON.parse(printed)).toEqual([
        kind,
        code,
        expect.stringContaining(String(message)),
        ...rest,
        true,
      ]);
      expect(printed).not.toContain('secret');
      expect(requested).not.toContain('/elsewhere');
    }
  });

  test('says what to do if no server is listening', async () => {
    const noServer = { CODE_EXECUTOR_PROXY_URL: 'http://127.0.0.1:1/' };
    const message =
      /^unavailable: No answer from Code Executor at http:\/\/127\.0\.0\.1:1\/ \(.+\)\. Is code-executor-mcp --http running there\?\n$/;
    expect(
      await runTypeScript(
        "await myServer.anything().catch((e) => console.log(e.code + ': ' + e.message))",
        noServer,
      ),
    ).toMatch(message);
    expect(
      await runPythonWrappers(
        'try: my_server.anything()\nexcept McpToolError as e: print(f"{e.code}: {e}")',
        noServer,
      ),
    ).toMatch(message);
  });

  test('Python refuses arguments that are not JSON, and opens no files', async () => {
    const code = 'try: my_server.anything(a=VALUE)\nexcept McpToolError as e: print(e.code)';
    expect(await runPythonWrappers(code.replace('VALUE', 'float("nan")'), env)).toBe('invalid_argument\n');
    const file = { CODE_EXECUTOR_PROXY_URL: 'file:///etc/passwd' };
    expect(await runPythonWrappers(code.replace('VALUE', '1'), file)).toBe('unavailable\n');
  });
});
