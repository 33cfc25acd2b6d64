/** Checks the built server with the MCP Inspector, because that is a client by other authors. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { binOf, cleanEnvironment, runBin } from '../run.mjs';

/** Lists the tools in strict mode, and runs one program. */
export async function checkWithInspector() {
  // The Inspector writes to its home, and the server must not find the user's settings.
  const home = await mkdtemp(join(tmpdir(), 'code-executor-inspector-'));
  const env = cleanEnvironment({ HOME: home, USERPROFILE: home, XDG_CONFIG_HOME: home });
  const inspect = (...args) => {
    const server = ['--cli', process.execPath, binOf('@code-executor/mcp-server')];
    return runBin('@modelcontextprotocol/inspector', [...server, ...args], {
      command: 'mcp-inspector',
      cwd: home,
      env,
      timeoutMs: 60_000,
    });
  };
  try {
    const list = await inspect('--method', 'tools/list', '--strict');
    const isClean = list.code === 0 && !list.stderr.includes('Warning:');
    const call = await inspect(
      ...['--method', 'tools/call', '--tool-name', 'executeTypescript'],
      ...['--tool-args-json', '{"code":"return 42"}', '--format', 'json'],
    );
    return [
      check('inspector: tools/list --strict', isClean, list.stderr || list.output),
      check('inspector: tools/call', resultOf(call.stdout) === 42, call.output),
    ];
  } finally {
    // Retried, because the server may end a moment later and write there until then.
    await rm(home, { recursive: true, force: true, maxRetries: 10 });
  }
}

function resultOf(json) {
  try {
    return JSON.parse(json).result.structuredContent.result;
  } catch {
    return undefined;
  }
}

function check(name, isRight, detail) {
  return { name, passed: isRight ? 1 : 0, failed: isRight ? 0 : 1, detail };
}
