import { openSync, readdirSync, readFileSync } from 'node:fs';

/** `O_CLOEXEC`, as `/proc/<pid>/fdinfo` shows it; the same on x64 and arm64. */
const closeOnExec = 0o2000000;

/** What an entry of `spawn`'s `stdio` may be here. */
type Stream = 'pipe' | 'ignore' | number;

let inherited: readonly number[] | undefined;
let nowhere: number | undefined;

/**
 * The `stdio` of `spawn` for a process that gets these streams and no other descriptors. Node closes what it opened
 * itself, but passes on what it was started with, such as files and connections that a client left open. Sandboxed
 * code could use them, because Deno asks for no permission to use an open descriptor. In their place, the process gets
 * `/dev/null`.
 */
export function onlyThese(streams: readonly ('pipe' | number)[]): Stream[] {
  const stdio: Stream[] = [...streams];
  // Once is enough, because nothing that Node opens later is inherited.
  inherited ??= inheritedDescriptors();
  for (const descriptor of inherited) {
    if (descriptor < streams.length) continue;
    nowhere ??= openSync('/dev/null', 'r+');
    while (stdio.length < descriptor) stdio.push('ignore');
    stdio[descriptor] = nowhere;
  }
  return stdio;
}

/** The descriptors that this process would pass on. Only on Linux, because elsewhere Node passes none on. */
function inheritedDescriptors(): number[] {
  if (process.platform !== 'linux') return [];
  const all = readdirSync('/proc/self/fdinfo').map(Number);
  return all.filter((descriptor) => (flagsOf(descriptor) & closeOnExec) === 0);
}

function flagsOf(descriptor: number): number {
  try {
    const text = readFileSync(`/proc/self/fdinfo/${descriptor}`, 'utf8');
    return parseInt(/^flags:\s*([0-7]+)$/m.exec(text)?.[1] ?? '', 8);
  } catch {
    // This descriptor was used to list the folder, and is closed by now.
    return closeOnExec;
  }
}
