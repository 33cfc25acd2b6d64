import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';

import { createExecutor, python } from '@code-executor/executor';
import { PyodideSandbox } from '@code-executor/sandbox-pyodide';
import fastify from 'fastify';

import { quietMoment, timed } from '../measure.mjs';
import { execute, printedNumber, pyodideFolder, python3, runInSandbox, untilSpares } from '../processes.mjs';
import { echoInMemory, repeatedPython } from '../programs.mjs';

const trivial = '1 + 1';
const payload = 'x'.repeat(200);

/** A trivial program, MCP request to response, through a spare interpreter. */
export const pythonWarm = {
  name: 'python-warm',
  what: 'trivial Python program through a spare / python3 -I -c pass',
  rounds: 20,
  async open(workplace) {
    const samples = { python3: () => workplace.run(python3, ['-I', '-c', 'pass']) };
    for (const isolation of ['portable', 'strict']) {
      const { client } = await workplace.startServer({ sandbox: { isolation, spares: { python: 1 } } });
      await execute(client, trivial, { language: 'python' });
      samples[isolation] = async () => {
        await untilSpares(client, 1, 'python');
        await quietMoment();
        return timed(() => execute(client, trivial, { language: 'python' }));
      };
    }
    return samples;
  },
  rows: [
    { label: 'portable / python3', atMost: 1, ratio: ({ portable, python3 }) => portable / python3 },
    { label: 'strict / python3', atMost: 1, ratio: ({ strict, python3 }) => strict / python3 },
  ],
};

/** The same in a new process, which restores the snapshot, compared with the plain load of Pyodide. */
export const pythonCold = {
  name: 'python-cold',
  what: "trivial Python program in a process of its own / Pyodide's plain load in the same command",
  rounds: 10,
  async open(workplace) {
    const { client } = await workplace.startServer({ sandbox: { spares: { python: 0 } } });
    await execute(client, trivial, { language: 'python' });
    // A separate folder, because a sandbox sees the folder of its script.
    const folder = join(workplace.folder, 'plain-load');
    await mkdir(folder);
    const script = join(folder, 'plain-load.js');
    await writeFile(
      script,
      `const bytes = new Uint8Array(4096);
const { ownFiles } = JSON.parse(new TextDecoder().decode(bytes.subarray(0, Deno.stdin.readSync(bytes))));
const { loadPyodide } = await import('file://' + ownFiles.pyodide + '/pyodide.mjs');
const python = await loadPyodide({ indexURL: ownFiles.pyodide + '/' });
console.log(python.runPython(${JSON.stringify(trivial)}));
Deno.exit(0);`,
    );
    return {
      ours: () => timed(() => execute(client, trivial, { language: 'python' })),
      plain: () => timed(() => runInSandbox(workplace.denoPath, script)),
    };
  },
  rows: [{ label: 'ours / plain', atMost: 0.25, ratio: ({ ours, plain }) => ours / plain }],
};

/** Two million steps, timed by the program itself. */
export const pythonLoop = {
  name: 'python-loop',
  what: 'two million steps of a loop / the same in native Python',
  rounds: 10,
  async open(workplace) {
    const { client } = await workplace.startServer({});
    const code = `import time

def steps():
    total = 0
    for number in range(2_000_000):
        total += number
    return total

started = time.perf_counter()
total = steps()
elapsed_ms = (time.perf_counter() - started) * 1000
`;
    const script = join(workplace.folder, 'loop.py');
    await writeFile(script, `${code}print(elapsed_ms)`);
    await execute(client, trivial, { language: 'python' });
    return {
      pyodide: async () => {
        await untilSpares(client, 1, 'python');
        await quietMoment();
        return (await execute(client, `${code}elapsed_ms`, { language: 'python' })).result;
      },
      native: () => printedNumber(workplace, python3, ['-I', script]),
    };
  },
  rows: [{ label: 'pyodide / native', atMost: 4, ratio: ({ pyodide, native }) => pyodide / native }],
};

/** One tool call from Python to an upstream in memory, compared with `pyfetch` to a bare route. */
export const pythonCall = {
  name: 'python-call',
  what: 'one tool call from Python / pyfetch from Pyodide in Deno to a bare Fastify route',
  rounds: 6,
  warmUps: 1,
  async open(workplace) {
    const ask = runInMemory(workplace);
    const server = fastify();
    server.post('/', (request) => ({ text: request.body.text }));
    const url = await server.listen({ host: '127.0.0.1', port: 0 });
    workplace.onClose(() => server.close());
    const call = `call_mcp_tool("mcp__memory__echo", {"text": "${payload}"})`;
    const fetchCode = `from pyodide.http import pyfetch
${repeatedPython(`await (await pyfetch("${url}", method="POST", headers={"content-type": "application/json"}, body=${JSON.stringify(JSON.stringify({ text: payload }))})).json()`)}`;
    const script = join(workplace.folder, 'pyfetch.js');
    await writeFile(
      script,
      `const { loadPyodide } = await import(${JSON.stringify(pathToFileURL(join(pyodideFolder, 'pyodide.mjs')))});
const python = await loadPyodide({ indexURL: ${JSON.stringify(`${pyodideFolder}/`)} });
console.log(await python.runPythonAsync(${JSON.stringify(fetchCode)}));`,
    );
    const flags = ['run', `--allow-read=${pyodideFolder}`, `--allow-net=${new URL(url).host}`];
    return {
      awaited: () => ask(repeatedPython(`await ${call}`)),
      plain: () => ask(repeatedPython(call)),
      pyfetch: () => printedNumber(workplace, workplace.denoPath, [...flags, script]),
    };
  },
  rows: [
    { label: 'awaited / pyfetch', atMost: 0.5, ratio: ({ awaited, pyfetch }) => awaited / pyfetch },
    { label: 'plain / pyfetch', atMost: 0.5, ratio: ({ plain, pyfetch }) => plain / pyfetch },
  ],
};

/** 64 calls at once to an upstream that takes 10 ms for each. */
export const pythonMany = {
  name: 'python-many',
  what: '64 tool calls from Python at once, each of 10 ms / one after the other',
  rounds: 5,
  async open(workplace) {
    const ask = runInMemory(workplace, 10);
    const call = 'call_mcp_tool("mcp__memory__echo", {"text": str(number)})';
    const timedProgram = (body) => `import asyncio, time
started = time.perf_counter()
${body}
assert [answer["text"] for answer in answers] == [str(number) for number in range(64)]
(time.perf_counter() - started) * 1000`;
    return {
      atOnce: () => ask(timedProgram(`answers = await asyncio.gather(*(${call} for number in range(64)))`)),
      inTurn: () => ask(timedProgram(`answers = [${call} for number in range(64)]`)),
    };
  },
  rows: [{ label: 'at once / in turn', atMost: 0.25, ratio: ({ atOnce, inTurn }) => atOnce / inTurn }],
};

/** Runs a program whose value is a number in a spare, with one tool in memory that takes `delayMs`. */
function runInMemory(workplace, delayMs = 0) {
  const tools = echoInMemory(() => (delayMs > 0 ? delay(delayMs) : undefined));
  const sandbox = new PyodideSandbox({ snapshotDir: join(workplace.folder, 'snapshot') });
  const executor = createExecutor({ tools, languages: [{ ...python, sandbox }] });
  workplace.onClose(() => executor.close());
  const run = async (code) => {
    const report = await executor.execute({ code, allowedTools: ['mcp__memory__*'] }, { language: 'python' });
    if (!report.success) throw new Error(report.error);
    return report.result;
  };
  // Spares start after the first program.
  const first = run(trivial);
  return async (code) => {
    await first;
    while ((await sandbox.status()).spares.ready === 0) await delay(10);
    await quietMoment();
    return run(code);
  };
}
