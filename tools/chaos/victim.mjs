/** Starts a server that will be killed, and finds the processes that it leaves behind. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';

import { everything, serverBin } from '../bench/processes.mjs';
import { commandOf, descendantsOf, processIds } from './processes.mjs';

/** Unique to these servers, to recognize their sandbox processes by the command line. */
const heapMb = 119;
/** The kernel needs a moment to end a process, and upstream servers to notice that their input has closed. */
const graceMs = 3000;

const programs = [
  'for (;;) {}',
  'await new Promise((done) => setTimeout(done, 10_000)); return 1',
  'for (;;) await callMCPTool("mcp__everything__echo", { message: "x" })',
  'const a = []; for (;;) { a.push(new Uint8Array(1 << 20).fill(1)); await new Promise((done) => setTimeout(done, 5)) }',
  'for (;;) console.log("x".repeat(1000))',
  'return 1',
  'return await Promise.all(["a", "b", "c"].map((message) => callMCPTool("mcp__everything__echo", { message })))',
];

export async function startVictim(folder, isolation) {
  const file = join(folder, `${isolation}.json`);
  const config = {
    projectOnly: true,
    log: { level: 'fatal' },
    mcpServers: { everything },
    policy: { defaultAllowedTools: ['*'] },
    sandbox: { isolation, spares: { typescript: 2 } },
    executors: { typescript: { heapMb } },
  };
  await writeFile(file, JSON.stringify(config));
  const client = new Client({ name: 'code-executor-chaos', version: '1.0.0' });
  const env = { PATH: process.env.PATH, HOME: folder };
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [serverBin, '--config', file],
    cwd: folder,
    env,
    stderr: 'ignore',
  });
  await client.connect(transport);
  const { pid } = transport;
  return {
    pid,
    /** All processes that the server had when it was killed. */
    known: new Set(),
    /** The received reports. */
    answers: [],
    async execute(code) {
      const { structuredContent } = await client.callTool(
        { name: 'executeTypescript', arguments: { code, timeoutMs: 20_000 } },
        undefined,
        { timeout: 30_000 },
      );
      this.answers.push(structuredContent);
      return structuredContent.result;
    },
    /** Four random programs, so that different kinds run at the random moment. */
    programs: (random) => Array.from({ length: 4 }, () => programs[Math.floor(random() * programs.length)]),
    kill() {
      for (const each of descendantsOf(pid)) this.known.add(each);
      process.kill(pid, 'SIGKILL');
    },
    close: () => client.close(),
  };
}

/** The processes that still run a moment after the kill. */
export async function leftovers(victim) {
  const alive = () => {
    const started = [...victim.known].filter((pid) => commandOf(pid) !== '');
    return [...new Set([...started, ...sandboxProcesses()])];
  };
  for (let waited = 0; waited < graceMs && alive().length > 0; waited += 20) await delay(20);
  return alive().map((pid) => `process ${pid}: ${commandOf(pid).slice(0, 100)}`);
}

function sandboxProcesses() {
  return processIds().filter((pid) => commandOf(pid).includes(`--max-old-space-size=${heapMb}`));
}
