import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';

const built = new URL('../dist/index.js', import.meta.url).href;
const program = `
  import { JsonlLog } from ${JSON.stringify(built)};
  const { directory, writer, count, chars, maxBytes } = JSON.parse(process.argv[1]);
  const log = new JsonlLog({ directory, prefix: 'log', timeOf: ({ at }) => new Date(at), maxBytes });
  const text = 'x'.repeat(chars);
  let refused = 0;
  for (let number = 0; number < count; number += 10) {
    const entries = Array.from({ length: Math.min(10, count - number) }, (_, index) => number + index);
    await Promise.all(entries.map((number) =>
      log.append({ at: 0, writer, number, text }).then(() => {
        if (number === 20) process.stdout.write('writing\\n');
      }, (error) => {
        if (refused++ === 0) process.stdout.write(error.code + ': ' + error.message + '\\n');
      })));
  }
`;

export interface Writing {
  directory: string;
  writer: number;
  count: number;
  /** Of the text in each entry. */
  chars: number;
  maxBytes?: number;
}

/** A process of its own that appends to the log `log` of a folder, ten entries at a time; it needs the built package. */
export function startWriter(writing: Writing, maxBlocks?: number): ChildProcess {
  const args = ['--input-type=module', '-e', program, JSON.stringify(writing)];
  if (maxBlocks === undefined) return spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  // A file that may not grow is written like one on a full disk: what fits, then an error.
  const limited = ['-c', `ulimit -f ${maxBlocks}; exec "$@"`, 'sh', process.execPath, ...args];
  return spawn('sh', limited, { stdio: ['ignore', 'pipe', 'inherit'] });
}

/** Its exit code and what it printed. */
export async function endOf(child: ChildProcess): Promise<{ code: unknown; output: string }> {
  let output = '';
  child.stdout?.setEncoding('utf8').on('data', (text: string) => (output += text));
  const [code] = (await once(child, 'close')) as unknown[];
  return { code, output };
}
