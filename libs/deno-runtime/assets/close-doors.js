/**
 * Takes away doors that no program needs: Deno's own operations, and storage that would end with the
 * process. The process's permissions and the walls around it hold without this; what is not there needs
 * no wall.
 */
export function closeDoors() {
  delete Deno[Deno.internal];
  delete Deno.internal;
  for (const name of ['caches', 'localStorage', 'sessionStorage']) delete globalThis[name];
  // A second isolate does not fit into the memory of a program: starting one would end it.
  delete globalThis.Worker;
}
