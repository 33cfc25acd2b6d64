/**
 * Runs the Python blocks of all documents as programs in the sandbox. A line `print(x)  # → text` states what is
 * printed; an expression at the end with the same mark states the program's value as JSON. A block marked
 * `python no-run` is only compiled.
 */
const timeLimitMs = 60_000;

/** The only tool: it returns the same orders for every path. */
const orders = JSON.stringify([{ total: 1500 }, { total: 20 }]);
const name = 'mcp__filesystem__read_text_file';
const tools = {
  listTools: async () => ({
    tools: [{ name, server: 'filesystem', parameters: { type: 'object' } }],
    failedServers: [],
  }),
  callTool: async (called) =>
    called === name
      ? { content: [], structuredContent: { content: orders } }
      : { content: [{ type: 'text', text: `There is no ${called}.` }], isError: true },
};

/** One check per document with Python. */
export async function checkPythonExamples(documents) {
  const withPython = documents
    .map(({ name, blocks }) => ({ name, blocks: blocks.filter(({ language }) => language === 'python') }))
    .filter(({ blocks }) => blocks.length > 0);
  // Imported here, because it must be built first.
  const { PyodideSandbox } = await import('@code-executor/sandbox-pyodide');
  const sandbox = new PyodideSandbox({ spares: { count: 0 } });
  const checks = [];
  for (const { name, blocks } of withPython) {
    const problems = [];
    for (const block of blocks) {
      const problem = await problemOf(block, sandbox);
      if (problem) problems.push(`${name}:${block.line}: ${problem}`);
    }
    checks.push({
      name: `${name}: Python`,
      passed: problems.length === 0 ? 1 : 0,
      failed: problems.length === 0 ? 0 : 1,
      note: `${blocks.length} blocks`,
      detail: problems.join('\n'),
    });
  }
  await sandbox.close();
  return checks;
}

async function problemOf({ code, info }, sandbox) {
  const isRun = !info.includes('no-run');
  const { status, error, stdout, stderr, value } = await sandbox.execute({
    code: isRun ? code : compilationOf(code),
    timeoutMs: timeLimitMs,
    permissions: { read: [], write: [], net: [] },
    tools,
  });
  if (status !== 'succeeded') return `${error?.message ?? status}\n${stderr}`;
  if (!isRun) return undefined;
  const expected = [...code.matchAll(/# → (.*)$/gm)].map((match) => match[1].trim());
  const shown = [...stdout.split('\n').slice(0, -1), JSON.stringify(value)];
  const wrong = expected.findIndex((line, index) => line !== shown[index]?.trim());
  return wrong === -1
    ? undefined
    : `It should have shown "${expected[wrong]}", but showed:\n${shown.join('\n')}`;
}

function compilationOf(code) {
  return `import ast\ncompile(${JSON.stringify(code)}, "block", "exec", ast.PyCF_ALLOW_TOP_LEVEL_AWAIT)\nNone`;
}
