/**
 * The entry script of every TypeScript execution. It is trusted and fixed; the program comes over
 * the pipe and is imported dynamically, because what stands in an entry script, or is imported by a
 * literal in one, is read by Deno without asking for permission.
 */
import { openChannel } from './channel.js';
import { createFetch } from './fetch-global.js';
import { serveFiles } from './file-globals.js';
import { Program } from './program.js';
import { createToolGlobals } from './tool-globals.js';

const channel = await openChannel();
const { code, limits, servesFiles } = await channel.receiveProgram();

for (const [name, value] of Object.entries({ ...createToolGlobals(channel), fetch: createFetch(channel) })) {
  Object.defineProperty(globalThis, name, { value: Object.freeze(value), enumerable: true });
}
if (servesFiles) serveFiles(channel);

new Program(channel, limits).run(code);
