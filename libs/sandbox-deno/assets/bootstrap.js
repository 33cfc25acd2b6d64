/**
 * The entry script of every TypeScript execution. It is trusted and fixed; the program comes over
 * the pipe and is imported dynamically, because what stands in an entry script, or is imported by a
 * literal in one, is read by Deno without asking for permission.
 */
import { openChannel } from '@code-executor/deno-runtime/assets/channel.js';
import { createFetch } from '@code-executor/deno-runtime/assets/fetch-global.js';
import { serveFiles } from './file-globals.js';
import { Program } from './program.js';
import { rehearse } from './rehearsal.js';
import { createToolGlobals } from './tool-globals.js';

const { channel, isSpare } = openChannel();

// Doors that no program needs: Deno's own operations, and storage that would end with the process. The
// process's permissions and the walls around it hold without this; what is not there needs no wall.
delete Deno[Deno.internal];
delete Deno.internal;
for (const name of ['caches', 'localStorage', 'sessionStorage']) delete globalThis[name];
// A second isolate does not fit into the memory of a program: starting one would end it.
delete globalThis.Worker;

for (const [name, value] of Object.entries({ ...createToolGlobals(channel), fetch: createFetch(channel) })) {
  const fixed = { writable: false, configurable: false, enumerable: true };
  Object.defineProperty(globalThis, name, { ...fixed, value: Object.freeze(value) });
}

if (isSpare) await rehearse();
const program = new Program(channel);
program.listen();
const { code, servesFiles, ...options } = channel.receiveProgram();
if (servesFiles) serveFiles(channel);
program.run(code, options);
