import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';

import { beforeAll, describe, expect, test } from '@jest/globals';
import type { ToolSchema } from '@code-executor/contracts';
import ts from 'typescript';

import { generateWrappers } from './generate-wrappers.js';
import { pythonWrappers } from './python-wrappers.js';
import { typeScriptWrappers } from './typescript-wrappers.js';
import { inFolder, place, publishedTools, runPython, toolOf } from './wrappers.test.kit.js';

const require = createRequire(import.meta.url);
const servers = [
  'context7',
  'eslint',
  'everything',
  'filesystem',
  'github',
  'kubernetes',
  'memory',
  'notion',
  'nx',
];

describe('the wrappers of 140 tools of published servers', () => {
  let tools: ToolSchema[];
  beforeAll(async () => {
    tools = await publishedTools();
    expect(tools).toHaveLength(140);
  });

  test('compile with the strictest options of TypeScript', () =>
    inFolder(async (folder) => {
      // Every object has a property with this name, so `{}` is not assignable to these arguments.
      const parameters = { properties: { constructor: { type: 'string' } } };
      const odd = toolOf('odd', 'run', { parameters });
      const paths = await place(folder, generateWrappers([...tools, odd], typeScriptWrappers));
      const use = join(folder, 'use.ts');
      await writeFile(
        use,
        `import { filesystem, github } from './typescript/index.js';
export const text: string = (await filesystem.readTextFile({ path: 'a', head: 3 })).content;
export const issue: unknown = await github.createIssue({ owner: 'a', repo: 'b', title: 'c', labels: ['d'] });
// @ts-expect-error: a title is needed
await github.createIssue({ owner: 'a', repo: 'b' });
`,
      );
      await writeFile(join(folder, 'package.json'), '{ "type": "module" }');
      const program = ts.createProgram([...paths, use], {
        module: ts.ModuleKind.NodeNext,
        target: ts.ScriptTarget.ES2022,
        lib: ['lib.es2022.d.ts'],
        types: ['node'],
        typeRoots: [dirname(dirname(require.resolve('@types/node/package.json')))],
        strict: true,
        exactOptionalPropertyTypes: true,
        noUncheckedIndexedAccess: true,
        noPropertyAccessFromIndexSignature: true,
        noUnusedLocals: true,
        verbatimModuleSyntax: true,
        skipLibCheck: true,
        noEmit: true,
      });
      const problems = ts.getPreEmitDiagnostics(program);
      expect(problems.map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, '\n'))).toEqual(
        [],
      );
    }));

  test('can be imported in Python', () =>
    inFolder(async (folder) => {
      await place(folder, generateWrappers(tools, pythonWrappers));
      const code = `
import json
from python import __all__, filesystem
from python import *
print(json.dumps([__all__, sorted(filesystem.read_text_file.__annotations__), len(notion.__all__)]))`;
      expect(JSON.parse(await runPython(code, folder))).toEqual([
        ['McpToolError', 'ToolNotAllowedError', ...servers, 'playwright', 'sequential_thinking'],
        ['head', 'path', 'return', 'tail'],
        24,
      ]);
    }));

  test('have no problems in the strictest mode of pyright', () =>
    inFolder(async (folder) => {
      await place(folder, generateWrappers(tools, pythonWrappers));
      await writeFile(join(folder, 'pyrightconfig.json'), '{ "strict": ["."], "pythonVersion": "3.11" }');
      await writeFile(
        join(folder, 'use.py'),
        'from python import filesystem\n\ntext: str = filesystem.read_text_file(path="a", head=3)["content"]\n',
      );
      const pyright = join(dirname(require.resolve('pyright/package.json')), 'index.js');
      const { stdout } = await promisify(execFile)(process.execPath, [pyright, '-p', folder]);
      expect(stdout).toContain('0 errors, 0 warnings');
    }));

  test.each([typeScriptWrappers, pythonWrappers])('are generated deterministically ($folder)', (form) => {
    expect(generateWrappers([...tools].reverse(), form)).toEqual(generateWrappers(tools, form));
  });
});
