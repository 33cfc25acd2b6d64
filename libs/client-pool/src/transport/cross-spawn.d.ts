// The package has no types; it is `child_process.spawn` that also finds `npx.cmd` and the like on Windows.
declare module 'cross-spawn' {
  import type { spawn } from 'node:child_process';

  const crossSpawn: typeof spawn;
  export default crossSpawn;
}
