import { restrictNode } from './restrict-node.js';

/**
 * Removes what no program needs: Deno's own operations, storage that would end with the process, native sockets. The
 * process's permissions and the walls around it hold without this, except where Deno asks for no permission.
 */
export function restrictGlobals() {
  restrictNode();
  delete Deno[Deno.internal];
  delete Deno.internal;
  // These reveal where the runtime is installed and the id of its parent process; `process` uses them, too.
  Deno.execPath = () => '/app/deno';
  Object.defineProperty(Deno, 'ppid', { value: 0 });
  for (const name of ['caches', 'Cache', 'CacheStorage', 'localStorage', 'sessionStorage', 'Storage']) {
    delete globalThis[name];
  }
  // A second isolate does not fit into the memory of a program, so starting one would end the program.
  delete globalThis.Worker;
}
