/** Runs programs that call upstream servers, of which some misbehave in every way and some behave well. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';

import { serverBin } from '../bench/processes.mjs';
import { commandOf, descendantsOf, residentMb } from './processes.mjs';

const misbehaviours = ['killed', 'hung', 'flooding', 'garbage', 'slow', 'changing'];
const wellBehaved = ['good', 'other'];
const programs = 4;
/** The duration of one program; then another takes its place. */
const programMs = 2500;
const maxRatio = 1.5;
/** How much a server may grow, in addition to garbage that is not collected yet. */
const maxGrowthMb = 64;
/** The kernel needs a moment to end a process, and upstream servers to notice that their input has closed. */
const graceMs = 10_000;

/**
 * Resolves with `{ ok, seconds, calls, failedCalls, p95Ms, ratio, rssMb, findings }`. With `isCompared`, the same load
 * runs first while all servers behave well, and the good ones must not be much slower in the storm.
 */
export async function storm(seconds, { isCompared }) {
  const findings = [];
  // More time without a comparison, as in `npm test`, because the machine may be busy.
  const healthWithinMs = isCompared ? 1000 : 10_000;
  const calm = isCompared ? await loaded(seconds, { isWild: false, healthWithinMs }, findings) : undefined;
  const wild = await loaded(seconds, { isWild: true, healthWithinMs }, findings);
  const ratio = calm && wild.p95Ms / calm.p95Ms;
  if (ratio !== undefined && ratio > maxRatio) {
    findings.push({ what: `calls of good servers took ${ratio.toFixed(2)} times as long as in calm (p95)` });
  }
  return {
    ok: findings.length === 0,
    seconds,
    ...wild,
    ...(calm && { calmP95Ms: calm.p95Ms, ratio }),
    findings,
  };
}

async function loaded(seconds, { isWild, healthWithinMs }, findings) {
  const folder = await mkdtemp(join(tmpdir(), 'code-executor-storm-'));
  const server = await start(folder, isWild);
  const phase = isWild ? 'storm' : 'calm';
  const report = (what) => findings.push({ phase, what });
  const times = [];
  const counts = { calls: 0, failedCalls: 0 };
  try {
    const first = await server.execute(program(300));
    if (!first.success) report(`the first program failed: ${first.error}`);
    const before = residentMb(server.pid);
    const end = Date.now() + seconds * 1000;
    const worker = async () => {
      while (Date.now() < end) {
        const { success, result, error } = await server.execute(program(Math.min(programMs, seconds * 500)));
        if (!success) return report(`a program failed: ${error}`);
        times.push(...result.times);
        counts.calls += result.calls;
        counts.failedCalls += result.failedCalls;
      }
    };
    const pulse = async () => {
      while (Date.now() < end) {
        const started = Date.now();
        await server.client.callTool({ name: 'health', arguments: {} });
        if (Date.now() - started > healthWithinMs) report(`health took ${Date.now() - started} ms`);
        await delay(200);
      }
    };
    await Promise.all([pulse(), ...Array.from({ length: programs }, worker)]);
    const rssMb = { start: Math.round(before), end: Math.round(residentMb(server.pid)) };
    if (seconds >= 30 && rssMb.end > rssMb.start * 1.5 + maxGrowthMb) {
      report(`the server grew from ${rssMb.start} to ${rssMb.end} MB`);
    }
    if (isWild === (counts.failedCalls === 0))
      report(`${counts.failedCalls} of ${counts.calls} calls failed`);
    if (times.length === 0) report('no good server was ever called');
    const known = [server.pid, ...descendantsOf(server.pid)];
    const alive = () => known.filter((pid) => commandOf(pid) !== '');
    await server.client.close();
    for (let waited = 0; waited < graceMs && alive().length > 0; waited += 20) await delay(20);
    for (const pid of alive()) report(`process ${pid} is left behind: ${commandOf(pid).slice(0, 100)}`);
    const [p95Ms = 0] = times.sort((a, b) => a - b).slice(Math.floor(times.length * 0.95));
    return { ...counts, p95Ms: Math.round(p95Ms * 100) / 100, rssMb };
  } catch (error) {
    report(`the server failed: ${error.message}`);
    return { ...counts, p95Ms: 0, rssMb: {} };
  } finally {
    await server.client.close();
    await rm(folder, { recursive: true, force: true, maxRetries: 5 });
  }
}

/** Calls the good servers in turn, and keeps one call to each of the others in progress. */
function program(ms) {
  return `
const end = performance.now() + ${ms};
const times: number[] = [];
let calls = 0, failedCalls = 0;
const others = ${JSON.stringify(misbehaviours)}.map(async (server) => {
  while (performance.now() < end) {
    calls++;
    await tools[server].echo({ text: 'x' }).catch(() => { failedCalls++; });
    // Throttled, so that servers that answer at once do not get many more calls in the calm.
    await new Promise((done) => setTimeout(done, 100));
  }
});
while (performance.now() < end) {
  for (const server of ${JSON.stringify(wellBehaved)}) {
    const started = performance.now();
    const answer = await tools[server].echo({ text: 'hello' });
    if (String(answer) !== 'hello') throw new Error('Another answer: ' + JSON.stringify(answer));
    times.push(performance.now() - started);
    calls++;
  }
  await new Promise((done) => setTimeout(done, 5));
}
return { times, calls, failedCalls };`;
}

async function start(folder, isWild) {
  const script = join(import.meta.dirname, 'storm-server.mjs');
  const names = [...wellBehaved, ...misbehaviours];
  const entry = (name) => ({ command: process.execPath, args: [script, ...(isWild ? [name] : [])] });
  const config = {
    projectOnly: true,
    log: { level: 'fatal' },
    mcpServers: Object.fromEntries(names.map((name) => [name, entry(name)])),
    policy: { defaultAllowedTools: ['*'], budget: { maxCalls: 100_000 } },
    pool: { callTimeoutMs: 3000, resetTimeoutMs: 1000 },
  };
  const file = join(folder, 'config.json');
  await writeFile(file, JSON.stringify(config), { mode: 0o600 });
  const client = new Client({ name: 'code-executor-storm', version: '1.0.0' });
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [serverBin, '--config', file],
    cwd: folder,
    env: { PATH: process.env.PATH, HOME: folder },
    stderr: 'ignore',
  });
  await client.connect(transport);
  const { pid } = transport;
  return {
    pid,
    client,
    async execute(code) {
      const { structuredContent } = await client.callTool(
        { name: 'executeTypescript', arguments: { code, timeoutMs: 30_000 } },
        undefined,
        { timeout: 60_000 },
      );
      return structuredContent;
    },
  };
}
