import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';

import type { JsonSchema, ToolSchema } from '@code-executor/contracts';

import type { WrapperFile } from './wrapper-file.js';

/** A tool of the server, as the pool lists it. */
export function toolOf(server: string, name: string, fields: Partial<ToolSchema> = {}): ToolSchema {
  return { name: `mcp__${server}__${name}`, server, parameters: { type: 'object' }, ...fields };
}

interface ListedTool {
  name: string;
  title?: string;
  description?: string;
  inputSchema: JsonSchema;
  outputSchema?: JsonSchema;
}

/** The tools of eleven published servers. */
export async function publishedTools(): Promise<ToolSchema[]> {
  const folder = new URL('./fixtures/tools-lists/', import.meta.url);
  const files = (await readdir(folder)).sort();
  const lists = await Promise.all(
    files.map(async (file) => {
      const { tools } = JSON.parse(await readFile(new URL(file, folder), 'utf8')) as { tools: ListedTool[] };
      return tools.map(({ name, inputSchema, ...tool }) =>
        toolOf(file.replace('.json', ''), name, {
          parameters: inputSchema,
          ...(tool.title !== undefined && { title: tool.title }),
          ...(tool.description !== undefined && { description: tool.description }),
          ...(tool.outputSchema && { outputSchema: tool.outputSchema }),
        }),
      );
    }),
  );
  return lists.flat();
}

/** Runs the work with a new folder, and removes the folder afterwards. */
export async function inFolder<T>(work: (folder: string) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), 'wrappers-'));
  try {
    return await work(folder);
  } finally {
    await rm(folder, { recursive: true });
  }
}

/** Writes files to their paths without `writeWrappers`. */
export async function place(folder: string, files: readonly WrapperFile[]): Promise<string[]> {
  const paths = files.map(({ path }) => join(folder, path));
  for (const [index, { content }] of files.entries()) {
    const path = paths[index] ?? '';
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, content);
  }
  return paths;
}

/** The output of Python, run in the folder with the text on its standard input. */
export async function runPython(
  code: string,
  folder: string,
  input = '',
  env?: NodeJS.ProcessEnv,
): Promise<string> {
  const running = promisify(execFile)('python3', ['-B', '-c', code], {
    cwd: folder,
    env,
    maxBuffer: 64 * 1024 * 1024,
  });
  running.child.stdin?.end(input);
  return (await running).stdout;
}

/** A Python program that reads `[[content, …], …]` and prints the top-level names of each module, or its error. */
export const pythonOutline = `
import ast, json, sys
def outline(text):
    try:
        tree = ast.parse(text)
        compile(tree, "wrapper", "exec")
    except Exception as error:
        return {"problem": repr(error)}
    found = {"functions": [], "classes": [], "all": [], "other": []}
    for node in tree.body:
        if isinstance(node, ast.FunctionDef): found["functions"].append(node.name)
        elif isinstance(node, ast.ClassDef): found["classes"].append(node.name)
        elif isinstance(node, ast.Assign) and node.targets[0].id == "__all__": found["all"] = ast.literal_eval(node.value)
        elif isinstance(node, ast.Assign) and node.value.func.id == "TypedDict": found["classes"].append(node.targets[0].id)
        elif isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant): pass
        elif isinstance(node, ast.ImportFrom): pass
        else: found["other"].append(ast.unparse(node))
    return found
print(json.dumps([outline(text) for text in json.load(sys.stdin)]))
`;

export type PythonOutline =
  { problem: string } | { functions: string[]; classes: string[]; all: string[]; other: string[] };
