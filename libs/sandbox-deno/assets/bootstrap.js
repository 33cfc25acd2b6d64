/**
 * The entry script of every TypeScript execution. It is trusted and always the same. The program comes through
 * the pipe and is imported dynamically, because Deno checks no permissions for an entry script and for what that
 * imports by a literal.
 */
import { openChannel } from '@code-executor/sandbox-channel/assets/channel.js';
import { restrictGlobals } from '@code-executor/deno-runtime/assets/restrict-globals.js';
import { createFetch } from '@code-executor/sandbox-channel/assets/fetch-global.js';
import { explainRefusals } from '@code-executor/deno-runtime/assets/refusals.js';
import { restrictSqlite } from '@code-executor/deno-runtime/assets/restrict-sqlite.js';
import { Pictures } from './display-global.js';
import { serveFiles } from './file-globals.js';
import { createHostCalls } from './host-call-globals.js';
import { Program } from './program.js';
import { rehearse } from './rehearsal.js';
import { createToolGlobals } from './tool-globals.js';

const { channel, isSpare, hostCalls } = openChannel();

restrictGlobals();

const pictures = new Pictures(channel);
const { display } = pictures;
const ownGlobals = { ...createToolGlobals(channel), display, fetch: createFetch(channel) };
const globals = { ...ownGlobals, ...createHostCalls(channel, hostCalls, ownGlobals) };
for (const [name, value] of Object.entries(globals)) {
  const fixed = { writable: false, configurable: false, enumerable: true };
  // `tools` cannot be frozen, because its list of properties is not fixed; it refuses changes by itself.
  Object.defineProperty(globalThis, name, {
    ...fixed,
    value: name === 'tools' ? value : Object.freeze(value),
  });
}

if (isSpare) await rehearse();
const program = new Program(channel, pictures);
program.listen();
channel.sayReady();
// Done here because the server is sending the program in the meantime.
await restrictSqlite();
const { code, servesFiles, ...options } = channel.receiveProgram();
if (servesFiles) serveFiles(channel);
explainRefusals(servesFiles);
program.run(code, options);
