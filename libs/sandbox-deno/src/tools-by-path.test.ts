import { afterAll, describe, expect, test } from '@jest/globals';

import { noPermissions } from '@code-executor/contracts';
import { fakeToolSource } from '@code-executor/contracts/testing';

import { DenoSandbox } from './deno-sandbox.js';

describe('tools.<server>.<tool>() in TypeScript', () => {
  const sandbox = new DenoSandbox();
  afterAll(() => sandbox.close());

  const source = fakeToolSource(
    {
      'mcp__git-hub__create_issue': (args) => args,
      'mcp__git-hub__API-get/user': () => 'a user',
      'mcp__git-hub__same-name': () => 'dash',
      'mcp__git-hub__same.name': () => 'dot',
      mcp__files__then: () => 'then',
      mcp__files__delete: () => 'deleted',
      mcp__files__broken: () => ({ content: [], isError: true }),
      'mcp__files__copy-all': () => 'dash',
      mcp__files__copyAll: () => 'none',
    },
    { mcp__files__delete: { parameters: { type: 'object', properties: { path: { type: 'string' } } } } },
  );
  const run = (code: string) =>
    sandbox.execute({ code, timeoutMs: 20_000, permissions: noPermissions, tools: source });

  test.each<[string, string, unknown]>([
    ['camel case', 'await tools.gitHub.createIssue({ title: "a" })', { title: 'a' }],
    ['original names', 'await tools["git-hub"]["create_issue"]({ n: 1 })', { n: 1 }],
    ['snake case', 'await tools.git_hub.create_issue()', {}],
    ['reserved words', 'await tools.files.delete()', 'deleted'],
    [
      'original names, if several tools share a camel case name',
      'await tools["git-hub"]["same.name"]()',
      'dot',
    ],
    ['a name that only one tool has', 'await tools.files["copy-all"]()', 'dash'],
    ['odd names', 'await tools.gitHub.apiGetUser()', 'a user'],
    [
      'the whole result',
      '(await tools.files.delete({}, { raw: true })).content',
      [{ type: 'text', text: 'deleted' }],
    ],
    [
      'many at once',
      'await Promise.all([1, 2].map((n) => tools.gitHub.createIssue({ n })))',
      [{ n: 1 }, { n: 2 }],
    ],
    ['nothing to await', '[typeof (await tools), typeof (await tools.files)]', ['object', 'object']],
  ])('calls by %s', async (_, expression, value) => {
    expect(await run(`return ${expression}`)).toMatchObject({ status: 'succeeded', value });
  });

  test.each<[string, unknown]>([
    ['Object.keys(tools)', ['gitHub', 'files']],
    ['Object.keys(tools.gitHub)', ['createIssue', 'apiGetUser', 'same-name', 'same.name']],
    ['Object.keys(tools["git-hub"]).length', 4],
    ['["gitHub" in tools, "git" in tools, "delete_" in tools.files]', [true, false, true]],
    [
      '[tools, tools.files]',
      [
        ['gitHub', 'files'],
        ['then_', 'delete_', 'broken', 'copy-all', 'copyAll'],
      ],
    ],
    ['Object.entries(tools.gitHub).map(([, call]) => typeof call)', Array(4).fill('function')],
    [
      '[tools.files.broken().catch(() => "made"), Object.keys(tools).length, await tools.files.delete()]',
      [{}, 2, 'deleted'],
    ],
    [
      '(() => { try { Object.keys(tools.nope) } catch ({ code, message }) { return [code, message] } })()',
      ['not_found', 'There is no server nope; the servers are git-hub, files.'],
    ],
  ])('%s shows the existing servers and tools', async (expression, value) => {
    expect(await run(`return ${expression}`)).toMatchObject({ status: 'succeeded', value });
  });

  test('lists no names while calls are waiting, and says what to use instead', async () => {
    const code = `const call = tools.files.delete();
await new Promise((resolve) => setTimeout(resolve));
try { return Object.keys(tools) } catch ({ message }) { return message } finally { await call }`;
    const held = {
      ...source,
      callTool: async () => (await new Promise((resolve) => setTimeout(resolve, 200)), { content: [] }),
    };
    const { value } = await sandbox.execute({
      code,
      timeoutMs: 20_000,
      permissions: noPermissions,
      tools: held,
    });
    expect(value).toContain('use await discoverMCPTools()');
  });

  test('prints as its names, and cannot be changed', async () => {
    const { stdout, error } = await run('console.log(tools); tools.mine = 1;');
    expect(stdout).toMatch(/^{\n {2}gitHub: {[^]*createIssue: \[AsyncFunction[^]*files: {/);
    expect(error?.message).toMatch(/^TypeError: 'set' on proxy/);
  });

  test.each<[string, object]>([
    [
      'tools.gitHub.sameName()',
      {
        code: 'invalid_argument',
        message:
          'tools.gitHub.sameName may be any of mcp__git-hub__same-name, mcp__git-hub__same.name; call the one you mean by its full name.',
      },
    ],
    [
      'tools.files.copyAll()',
      { code: 'invalid_argument', message: expect.stringContaining('mcp__files__copy-all') },
    ],
    ['tools.gitHub.absent()', { code: 'not_found', message: 'Tool mcp__gitHub__absent does not exist.' }],
    ['tools.nowhere.absent()', { code: 'not_found', tool: 'mcp__nowhere__absent' }],
    ['tools.files.broken()', { code: 'tool_error', tool: 'mcp__files__broken', server: 'files' }],
    ['tools.files.delete([] as any)', { code: 'invalid_argument' }],
    [
      'tools.files.delete("a" as any)',
      { message: 'The arguments of mcp__files__delete must be one object.' },
    ],
    ['tools.files.delete({}, { fast: true } as any)', { code: 'invalid_argument' }],
    ['getToolTypes(["mcp__files__absent"])', { code: 'not_found', tool: 'mcp__files__absent' }],
    ['getToolTypes(5 as any)', { code: 'invalid_argument' }],
    ['discoverMCPTools({ detail: "much" } as any)', { code: 'invalid_argument' }],
    ['discoverMCPTools({ offset: -1 })', { code: 'invalid_argument' }],
  ])('%s throws a clear error', async (call, error) => {
    const { value } = await run(
      `try { await ${call} } catch ({ code, message, tool, server }) { return { code, message, tool, server } }`,
    );
    expect(value).toMatchObject(error);
  });

  test('asks only for the server of a tool if that has it, and for all servers at most once', async () => {
    const asked: unknown[] = [];
    const listing = {
      ...source,
      listTools: (options = {}) => (asked.push({ ...options, signal: 0 }), source.listTools(options)),
    };
    await sandbox.execute({
      code: `for (let n = 0; n < 3; n++) await tools.files.delete();
for (const server of ['gitHub', 'git_hub', 'gitHub']) await tools[server].createIssue();
for (const server of ['a', 'b', 'c']) await tools[server].x().catch(() => {});`,
      timeoutMs: 20_000,
      permissions: noPermissions,
      tools: listing,
    });
    // A lookup does not need signatures.
    const everything = { detail: 'schemas', signal: 0 };
    const ofOne = (server: string) => ({ ...everything, server, untilReady: true });
    expect(asked).toEqual([ofOne('files'), ofOne('gitHub'), everything, ...['a', 'b', 'c'].map(ofOne)]);
  });

  test('discoverMCPTools() filters by server, offset and limit', async () => {
    const { value } = await run(
      `const found = await discoverMCPTools({ server: 'files', offset: 1, limit: 1, detail: 'full' }); return found.map((tool) => tool.name)`,
    );
    expect(value).toEqual(['mcp__files__delete']);
  });
});
