import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';

import { noPermissions } from '@code-executor/contracts';
import { fakeToolSource, isolationsUnderTest } from '@code-executor/contracts/testing';

import { PyodideSandbox } from './pyodide-sandbox.js';
import { snapshotDir } from './snapshot-dir.test.support.js';

describe.each(isolationsUnderTest())('tools.<server>.<tool>() in Python (%s)', (isolation) => {
  let sandbox: PyodideSandbox;
  beforeAll(() => {
    sandbox = new PyodideSandbox({ isolation, snapshotDir: snapshotDir() });
  });
  afterAll(() => sandbox.close());

  const run = (code: string) =>
    sandbox.execute({
      code,
      timeoutMs: 30_000,
      permissions: noPermissions,
      tools: fakeToolSource(
        {
          'mcp__git-hub__createIssue': (args) => args,
          'mcp__git-hub__same-name': () => 'dash',
          'mcp__git-hub__same.name': () => 'dot',
          mcp__files__list: () => ['a'],
          mcp__files__find: (args) => args,
        },
        {
          'mcp__git-hub__createIssue': { parameters: { type: 'object', properties: { from: {} } } },
          mcp__files__find: {
            parameters: { type: 'object', properties: { 'page-size': {}, 'a-b': {}, 'a.b': {} } },
          },
        },
      ),
    });

  test('calls tools by snake case or original name, awaited or not, with parameters by name or as a dict', async () => {
    const code = `import asyncio
[
    tools.git_hub.create_issue(title="a", from_="b", **{"no-name": 1}),
    await tools.gitHub.createIssue({"n": 1}, m=2),
    tools["git-hub"]["same.name"](),
    tools.files.list()[0],
    await asyncio.gather(*[tools.gitHub.create_issue(n=n) for n in range(2)]),
    repr(tools.files),
    [dir(tools), list(tools.files), "files" in tools, "nope" in tools, tools],
    tools.files.find(page_size=2, a_b=1, a_b_2=2),
    tools.files.find({"a-b": 3}, a_b=1, a_b_2=2),
    tools.files.find({"page-size": 3}, page_size=4),
]`;
    expect(await run(code)).toMatchObject({
      status: 'succeeded',
      value: [
        { title: 'a', from: 'b', 'no-name': 1 },
        { n: 1, m: 2 },
        'dot',
        'a',
        [{ n: 0 }, { n: 1 }],
        'tools.files',
        [['files', 'git_hub'], ['find', 'list_'], true, false, ['files', 'git_hub']],
        { 'page-size': 2, 'a-b': 1, 'a.b': 2 },
        { 'a-b': 3, a_b: 1, 'a.b': 2 },
        { 'page-size': 3, page_size: 4 },
      ],
    });
  });

  test('fails with clear errors', async () => {
    const code = `def caught(call):
    try:
        call()
    except (McpToolError, TypeError) as error:
        return [type(error).__name__, getattr(error, "code", None), str(error)]
[
    caught(lambda: tools.git_hub.same_name().strip()),
    caught(lambda: tools.git_hub.absent().strip()),
    caught(lambda: tools.git_hub.create_issue([1])),
    caught(lambda: tools.git_hub.create_issue(x=object())),
    caught(lambda: tools[1]),
    caught(lambda: dir(tools.nope)),
    caught(lambda: get_tool_types("mcp__files__absent").strip()),
    caught(lambda: discover_mcp_tools(detail="much").append(1)),
]`;
    const { value } = await run(code);
    expect(value).toEqual([
      [
        'McpToolError',
        'invalid_argument',
        'tools.git_hub.same_name may be any of mcp__git-hub__same-name, mcp__git-hub__same.name; call the one you mean by its full name.',
      ],
      ['McpToolError', 'not_found', 'Tool mcp__git_hub__absent does not exist.'],
      ['McpToolError', 'invalid_argument', 'The arguments of mcp__git-hub__createIssue must be one object.'],
      [
        'McpToolError',
        'invalid_argument',
        'The params of tools.git_hub.create_issue are not JSON: Object of type object is not JSON serializable',
      ],
      ['TypeError', null, 'tools takes the name as a string, not int.'],
      ['McpToolError', 'not_found', 'There is no server nope; the servers are git-hub, files.'],
      [
        'McpToolError',
        'not_found',
        'Tool mcp__files__absent does not exist, or its server is unavailable; search for tools to see what there is.',
      ],
      [
        'McpToolError',
        'invalid_argument',
        'The detail of a search is "names", "brief", "signatures", "types" or "full".',
      ],
    ]);
  });
});
