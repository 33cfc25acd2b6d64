import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';

import { createExecutor, typescript } from '@code-executor/executor';
import { DenoSandbox } from '@code-executor/sandbox-deno';
import fastify from 'fastify';

import { timed } from '../measure.mjs';
import {
  echoedNumber,
  everything,
  everythingBin,
  execute,
  printedNumber,
  residentMb,
} from '../processes.mjs';
import { echoInMemory, repeatedTypescript } from '../programs.mjs';

const payload = 'x'.repeat(200);

/**
 * One tool call from the sandbox to an upstream in memory, compared with `fetch` from Deno to a bare route. On some
 * machines, most of both is the time to wake a process, which neither can influence. So the round trip of bare bytes
 * over the same pipe or socket is subtracted from both.
 */
export const call = {
  name: 'call',
  what: 'one tool call from the sandbox / fetch from Deno to a bare Fastify route, each minus the round trip of bare bytes',
  rounds: 20,
  async open(workplace) {
    const executor = createExecutor({
      tools: echoInMemory(),
      languages: [{ ...typescript, sandbox: new DenoSandbox() }],
    });
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
    const echo = createServer((socket) => socket.setNoDelay().pipe(socket)).listen(0, '127.0.0.1');
    await once(echo, 'listening');
    workplace.onClose(() => Promise.all([executor.close(), server.close(), echo.close()]));
    const exchange = `const bytes = new TextEncoder().encode(${JSON.stringify(payload)}), buffer = new Uint8Array(4096);`;
    const body = JSON.stringify(JSON.stringify({ text: payload }));
    return {
      pipe: ask,
      fetch: await timedScript(workplace, 'fetch', {
        statement: `await (await fetch(${JSON.stringify(url)}, { method: 'POST', headers: { 'content-type': 'application/json' }, body: ${body} })).json()`,
        run: printedNumber,
      }),
      pipeRoad: await timedScript(workplace, 'pipe-road', {
        setUp: exchange,
        statement: 'Deno.stdout.writeSync(bytes); await Deno.stdin.read(buffer)',
        print: 'console.error',
        run: echoedNumber,
      }),
      fetchRoad: await timedScript(workplace, 'fetch-road', {
        setUp: `${exchange}\nconst socket = await Deno.connect({ hostname: '127.0.0.1', port: ${echo.address().port} });\nsocket.setNoDelay();`,
        statement: 'await socket.write(bytes); await socket.read(buffer)',
        run: printedNumber,
      }),
    };
  },
  rows: [
    {
      label: '(pipe − road) / (fetch − road)',
      atMost: 0.6,
      ratio: ({ pipe, fetch, pipeRoad, fetchRoad }) => (pipe - pipeRoad) / (fetch - fetchRoad),
    },
    { label: 'pipe / fetch', ratio: ({ pipe, fetch }) => pipe / fetch },
  ],
};

/** Takes a sample: the milliseconds of a statement in a Deno process, which prints them with `print`. */
async function timedScript(workplace, name, { setUp = '', statement, print = 'console.log', run }) {
  const script = join(workplace.folder, `${name}.ts`);
  const code = repeatedTypescript(statement).replace(/return (.*)$/, `${print}($1);\nDeno.exit(0);`);
  await writeFile(script, `${setUp}\n${code}`);
  return () => run(workplace, workplace.denoPath, ['run', '--allow-net=127.0.0.1', script]);
}

/** Ten calls at once to a real upstream server in one execution, compared with the minimal server. */
export const ten = {
  name: 'ten',
  what: 'execution with ten calls at once, MCP request to response',
  rounds: 30,
  pauseMs: 150,
  async open(workplace) {
    const { client } = await workplace.startServer({ mcpServers: { everything } });
    const { client: direct } = await workplace.startEverything();
    const { client: bare } = await workplace.startBareServer('waiting', everythingBin);
    const allowedTools = ['mcp__everything__echo'];
    const tenTimes = (call) =>
      `return (await Promise.all(Array.from({ length: 10 }, (_, i) => ${call}, { message: String(i) })))).length`;
    const code = tenTimes("callMCPTool('mcp__everything__echo'");
    const bareCode = tenTimes("callTool('echo'");
    const echo = (index) => direct.callTool({ name: 'echo', arguments: { message: String(index) } });
    const inTurn = async () => {
      for (let index = 0; index < 10; index++) await echo(index);
    };
    const atOnce = () => Promise.all(Array.from({ length: 10 }, (_, index) => echo(index)));
    await execute(client, code, { allowedTools });
    return {
      bare: () => timed(() => bare.callTool({ name: 'execute', arguments: { code: bareCode } })),
      tenCalls: () => timed(() => execute(client, code, { allowedTools })),
      trivial: () => timed(() => execute(client, 'return 1', { allowedTools })),
      inTurn: () => timed(inTurn),
      atOnce: () => timed(atOnce),
    };
  },
  rows: [
    { label: 'ten / bare', atMost: 1.4, ratio: ({ tenCalls, bare }) => tenCalls / bare },
    {
      label: '(ten − trivial) / at once',
      ratio: ({ tenCalls, trivial, atOnce }) => (tenCalls - trivial) / atOnce,
    },
    {
      label: '(ten − trivial) / in turn',
      ratio: ({ tenCalls, trivial, inTurn }) => (tenCalls - trivial) / inTurn,
    },
  ],
};

/** A thousand calls, 64 at a time: all are answered, and the server does not grow. */
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
