/**
 * `npm run demo`: does an agent's job on real MCP servers, in TypeScript and in Python, from a fresh clone.
 * `-- --json` prints one JSON object instead of the report, and `--built` skips the build. The exit code is 0 if both
 * answers are right.
 */
import { mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';

import { ensureBuilt } from '../ensure-built.mjs';

const flag = { type: 'boolean', default: false };
const { values } = parseArgs({ options: { json: flag, built: flag } });
if (!values.built) await ensureBuilt();
// Imported after the build, because these import packages.
const { Connections } = await import('./connections.mjs');
const { runDemo } = await import('./run-demo.mjs');
const { printReport } = await import('./report.mjs');

const folder = await realpath(await mkdtemp(join(tmpdir(), 'code-executor-demo-')));
const connections = new Connections();
async function cleanUp() {
  await connections.closeAll();
  await rm(folder, { recursive: true, force: true, maxRetries: 10 });
}
let isStopping = false;
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
  process.once(signal, () => {
    isStopping = true;
    void cleanUp().finally(() => process.exit(130));
  });
}

try {
  const outcome = await runDemo(folder, connections);
  if (values.json) process.stdout.write(`${JSON.stringify(outcome)}\n`);
  else printReport(outcome);
  process.exitCode = outcome.ok ? 0 : 1;
} catch (error) {
  if (isStopping) process.stderr.write('Stopped.\n');
  else if (values.json) process.stdout.write(`${JSON.stringify({ ok: false, error: error.message })}\n`);
  else process.stderr.write(`The demo failed: ${error.message}\n`);
  process.exitCode = 1;
} finally {
  await cleanUp();
}
