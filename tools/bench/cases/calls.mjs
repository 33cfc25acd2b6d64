import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { createExecutor } from '@code-executor/executor';
import { DenoSandbox } from '@code-executor/sandbox-deno';
import fastify from 'fastify';

import { timed } from '../measure.mjs';
import { everything, execute, printedNumber, residentMb } from '../processes.mjs';
import { echoInMemory, repeatedTypescript } from '../programs.mjs';

const payload = 'x'.repeat(200);

/** One tool call from the sandbox to an upstream in memory, against `fetch` from Deno to a bare route. */
export const call = {
  name: 'call',
  what: 'one tool call from the sandbox / fetch from Deno to a bare Fastify route',
  rounds: 20,
  async open(workplace) {
    const executor = createExecutor({ tools: echoInMemory(), sandboxes: [new DenoSandbox()] });
    const code = repeatedTypescript(
      `await callMCPTool('mcp__memory__echo', { text: ${JSON.stringify(payload)} })`,
    );
    const ask = async () => {
      const report = await executor.execute({ code, allowedTools: ['mcp__memory__*'] });
      if (!report.success) throw new Error(report.error);
      return report.result;
    };
    const server = fastify();
    server.post('/', (request) => ({ text: request.body.text }));
    const url = await server.listen({ host: '127.0.0.1', port: 0 });
    const script = join(workplace.folder, 'fetch.ts');
    const fetchCode = `const response = await fetch(${JSON.stringify(url)}, { method: 'POST', headers: { 'content-type': 'application/json' }, body: ${JSON.stringify(JSON.stringify({ text: payload }))} }); await response.json()`;
    await writeFile(script, repeatedTypescript(fetchCode).replace(/return (.*)$/, 'console.log($1)'));
    workplace.onClose(() => Promise.all([executor.close(), server.close()]));
    const fetchArgs = ['run', `--allow-net=${new URL(url).host}`, script];
    return { pipe: ask, fetch: () => printedNumber(workplace, workplace.denoPath, fetchArgs) };
  },
  rows: [{ label: 'pipe / fetch', atMost: 0.6, ratio: ({ pipe, fetch }) => pipe / fetch }],
};

/** Ten calls to a real upstream server, at once in one execution, against ten direct ones in turn. */
export const ten = {
  name: 'ten',
  what: '(execution with ten calls at once − trivial execution) / ten direct SDK calls in turn',
  rounds: 30,
  pauseMs: 150,
  async open(workplace) {
    const { client } = await workplace.startServer({ mcpServers: { everything } });
    const { client: direct } = await workplace.startEverything();
    const allowedTools = ['mcp__everything__echo'];
    const code = `return (await Promise.all(Array.from({ length: 10 }, (_, i) => callMCPTool('mcp__everything__echo', { message: String(i) })))).length`;
    const directCalls = async () => {
      for (let index = 0; index < 10; index++) {
        await direct.callTool({ name: 'echo', arguments: { message: String(index) } });
      }
    };
    await execute(client, code, { allowedTools });
    return {
      tenCalls: () => timed(() => execute(client, code, { allowedTools })),
      trivial: () => timed(() => execute(client, 'return 1', { allowedTools })),
      direct: () => timed(directCalls),
    };
  },
  rows: [
    {
      label: '(ten − trivial) / direct',
      atMost: 1,
      ratio: ({ tenCalls, trivial, direct }) => (tenCalls - trivial) / direct,
    },
  ],
};

/** A thousand calls, 64 asked at once: all answered, and the server does not grow. */
export const thousand = {
  name: 'thousand',
  what: '1,000 calls, 64 at once: growth of the server in MB per execution',
  rounds: 5,
  async open(workplace) {
    const { client, pid } = await workplace.startServer({ mcpServers: { everything } });
    const code = `let next = 0, right = 0;
const worker = async () => {
  while (next < 1000) {
    const message = String(next++);
    if (await callMCPTool('mcp__everything__echo', { message }) === 'Echo: ' + message) right++;
  }
};
await Promise.all(Array.from({ length: 64 }, worker));
return right;`;
    return {
      growthMb: async () => {
        const before = residentMb(pid);
        const { result } = await execute(client, code, {
          allowedTools: ['mcp__everything__*'],
          timeoutMs: 60_000,
        });
        if (result !== 1000) throw new Error(`Only ${result} of 1,000 calls were answered.`);
        return Math.max(0, residentMb(pid) - before);
      },
    };
  },
  rows: [{ label: 'growth in MB', atMost: 50, ratio: ({ growthMb }) => growthMb }],
};
