/**
 * The entry script of every Python execution. It is trusted and fixed: it loads the interpreter and, once
 * it knows the program, the packages that the program imports; then it gives up its one permission, to
 * read those files, and only then runs the program.
 */
import { openChannel } from '@code-executor/sandbox-channel/assets/channel.js';
import { closeDoors } from '@code-executor/deno-runtime/assets/close-doors.js';
import { createFetch } from '@code-executor/sandbox-channel/assets/fetch-global.js';
import { refuseInOwnWords } from '@code-executor/deno-runtime/assets/refusals.js';
import { closeSqlite } from '@code-executor/deno-runtime/assets/sqlite-door.js';

import { defineHostCalls } from './host-calls.js';
import { loadInterpreter } from './interpreter.js';
import { loadPackages } from './packages.js';
import { Program } from './program.js';
import { rehearse } from './rehearsal.js';

const { channel, isSpare, ownFiles, hostCalls } = openChannel();
closeDoors();

const python = await loadInterpreter(ownFiles);
if (isSpare) await rehearse(python);
if (Object.keys(hostCalls).length > 0) defineHostCalls(python, hostCalls);
globalThis.fetch = createFetch(channel);
const program = new Program(channel, python);
channel.sayReady();
// While the server sends the program.
await closeSqlite();
const { code, limits } = channel.receiveProgram(true);
await loadPackages(python, code, ownFiles.packages);
Deno.permissions.revokeSync({ name: 'read' });
refuseInOwnWords();
channel.startProgram();
// Not awaited: where nothing can settle it any more, Deno would complain here, and not tell the program's end.
void program.run(code, limits);
