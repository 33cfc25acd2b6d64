import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const badServer = fileURLToPath(new URL('./bad-server.mjs', import.meta.url));
const changingScript = fileURLToPath(new URL('./changing-server.mjs', import.meta.url));
const recordingScript = fileURLToPath(new URL('./recording-server.mjs', import.meta.url));

/** An entry of `mcpServers` for one of the real servers installed here. */
export function realServer(name: 'everything' | 'filesystem' | 'memory', ...args: string[]) {
  const manifest = createRequire(import.meta.url).resolve(
    `@modelcontextprotocol/server-${name}/package.json`,
  );
  return { command: process.execPath, args: [join(dirname(manifest), 'dist/index.js'), ...args] };
}

/** An entry for a server that misbehaves. */
export function badServerEntry(way: 'silent' | 'garbage' | 'huge' | 'dies') {
  return { command: process.execPath, args: [badServer, way] };
}

/** An entry for a server whose tool `note` writes its calls to a file, and only answers while the file `gate` exists. */
export function recordingServer(file: string, gate?: string) {
  return { command: process.execPath, args: [recordingScript, file, ...(gate === undefined ? [] : [gate])] };
}

/** An entry for a server whose tools are those in a file, and can change. */
export function changingServer(file: string) {
  return { command: process.execPath, args: [changingScript, file] };
}
