import { closeNodeDoors } from './node-doors.js';

/**
 * Takes away doors that no program needs: Deno's own operations, storage that would end with the process, native
 * sockets. The process's permissions and the walls around it hold without this, but where Deno does not ask.
 */
export function closeDoors() {
  closeNodeDoors();
  delete Deno[Deno.internal];
  delete Deno.internal;
  // Where the runtime lies, and whose child it is; `process` asks here, too.
  Deno.execPath = () => '/app/deno';
  Object.defineProperty(Deno, 'ppid', { value: 0 });
  for (const name of ['caches', 'Cache', 'CacheStorage', 'localStorage', 'sessionStorage', 'Storage']) {
    delete globalThis[name];
  }
  // A second isolate does not fit into the memory of a program: starting one would end it.
  delete globalThis.Worker;
}
