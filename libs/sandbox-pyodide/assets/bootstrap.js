/**
 * The entry script of every Python execution. It is trusted and always the same: it loads the interpreter, then the
 * packages that the program imports. It runs the program only after it has given up its one permission, to read
 * those files.
 */
import { openChannel } from '@code-executor/sandbox-channel/assets/channel.js';
import { restrictGlobals } from '@code-executor/deno-runtime/assets/restrict-globals.js';
import { createFetch } from '@code-executor/sandbox-channel/assets/fetch-global.js';
import { explainRefusals } from '@code-executor/deno-runtime/assets/refusals.js';
import { restrictSqlite } from '@code-executor/deno-runtime/assets/restrict-sqlite.js';

import { defineHostCalls } from './host-calls.js';
import { loadInterpreter } from './interpreter.js';
import { loadPackages } from './packages.js';
import { Program } from './program.js';
import { rehearse } from './rehearsal.js';

const { channel, isSpare, ownFiles, hostCalls } = openChannel();
restrictGlobals();

const python = await loadInterpreter(ownFiles);
if (isSpare) await rehearse(python);
if (Object.keys(hostCalls).length > 0) defineHostCalls(python, hostCalls);
globalThis.fetch = createFetch(channel);
const program = new Program(channel, python);
channel.sayReady();
// Done here because the server is sending the program in the meantime.
await restrictSqlite();
const { code, limits } = channel.receiveProgram(true);
await loadPackages(python, code, ownFiles.packages);
Deno.permissions.revokeSync({ name: 'read' });
explainRefusals();
channel.startProgram();
// Not awaited, because Deno would report an unsettled top-level await here instead of firing `beforeunload`.
void program.run(code, limits);
