import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** The files, folders and sockets that an attack can aim at. */
export interface Places {
  /** The text that every secret below contains; it must never leak. */
  canary: string;
  /** The home folder of the server, which contains everything else. */
  home: string;
  /** The temp folder of the server, in which another user has left files that configure Deno. */
  temp: string;
  /** A folder with `secret.txt`, `.json`, `.js`, `.cjs`, `.env`, and `data`. */
  secrets: string;
  /** A folder that programs may read, with links that lead out of it. */
  readable: string;
  /** A folder that programs may write, with links that lead out of it. */
  writable: string;
  /** A folder for files that attacks need. */
  stage: string;
  /** A pipe that the server inherits as descriptor 8 and never reads. */
  pipe: string;
  /** A TCP port on 127.0.0.1 on which connections are counted. */
  port: number;
  /** A Unix socket on which connections are counted, and one in the abstract namespace. */
  socket: string;
  abstractSocket: string;
}

const secretFiles = (canary: string): Record<string, string> => ({
  'secret.txt': canary,
  'secret.json': JSON.stringify({ canary }),
  'secret.js': `export default ${JSON.stringify(canary)};`,
  'secret.cjs': `module.exports = ${JSON.stringify(canary)};`,
  '.env': `CANARY=${canary}\n`,
  data: canary,
});

/** The initial content of the home and the temp folder, and what the tests themselves put there. */
const homeEntries = [
  ...[
    '.code-executor',
    '.code-executor.json',
    'pipe',
    'readable',
    'readable-not.txt',
    'secrets',
    'socket',
    'stage',
    'temp',
    'upstream-calls',
  ],
  ...['writable'],
];
/** The files that the server itself writes to its home. */
const ownFiles =
  /^(?:schema-cache\.json|pinned-tools\.json|python(?:\/snapshot-[^/]*\.bin)?|audit-logs(?:\/audit-\d{4}-\d\d-\d\d\.jsonl)?)$/;
const tempEntries = ['.env', 'deno.json', 'node_modules', 'package.json'];

/** Creates files, links and secrets in the home folder; everything but the sockets. */
export async function layOut(home: string): Promise<Omit<Places, 'port' | 'socket' | 'abstractSocket'>> {
  const canary = `CANARY-${randomBytes(12).toString('hex')}`;
  const [temp, secrets, readable, writable, stage] = ['temp', 'secrets', 'readable', 'writable', 'stage'].map(
    (name) => join(home, name),
  ) as [string, string, string, string, string];
  for (const folder of [temp, secrets, readable, writable, stage]) await mkdir(folder);
  for (const [name, text] of Object.entries(secretFiles(canary))) await writeFile(join(secrets, name), text);
  for (const folder of [readable, writable]) {
    await writeFile(join(folder, 'plain.txt'), 'plain');
    await symlink('/proc/self', join(folder, 'self'));
    await symlink('../secrets', join(folder, 'out'));
    await symlink(join(secrets, 'secret.txt'), join(folder, 'link.txt'));
    execFileSync('mkfifo', [join(folder, 'fifo')]);
  }
  await writeFile(join(home, 'readable-not.txt'), canary);
  await plantConfiguration(temp, secrets, canary);
  const pipe = join(home, 'pipe');
  execFileSync('mkfifo', [pipe]);
  return { canary, home, temp, secrets, readable, writable, stage, pipe };
}

/** Plants files that Deno looks for in its working folder and above, because everyone can write to a temp folder. */
async function plantConfiguration(temp: string, secrets: string, canary: string): Promise<void> {
  const evil = join(temp, 'node_modules', 'evil');
  await mkdir(evil, { recursive: true });
  const files: Record<string, string> = {
    'node_modules/evil/package.json':
      '{"name":"evil","version":"1.0.0","main":"../../../secrets/secret.cjs"}',
    'node_modules/evil/inside.js': `module.exports = ${JSON.stringify(canary)};`,
    'package.json': '{"type":"commonjs","dependencies":{"evil":"1.0.0"}}',
    'deno.json': JSON.stringify({
      imports: { evil: `file://${secrets}/secret.js` },
      nodeModulesDir: 'manual',
      unstable: ['raw-imports', 'worker-options'],
    }),
    '.env': `CANARY=${canary}\n`,
  };
  for (const [name, text] of Object.entries(files)) await writeFile(join(temp, name), text);
}

/** What differs from the initial content of the secrets folder, the home folder and the temp folder. */
export async function changesOf({ home, temp, secrets, canary }: Places): Promise<string[]> {
  const texts = secretFiles(canary);
  const changes: string[] = [];
  for (const name of new Set([...Object.keys(texts), ...(await readdir(secrets))])) {
    const text = await readFile(join(secrets, name), 'utf8').catch(() => undefined);
    if (text !== texts[name]) changes.push(`secrets/${name}`);
  }
  const unknown = (await readdir(home)).filter((name) => !homeEntries.includes(name));
  const left = await Promise.all(
    (await readdir(temp)).filter((name) => !tempEntries.includes(name)).map((name) => foldersIn(temp, name)),
  );
  const written = await readdir(join(home, '.code-executor'), { recursive: true }).catch(() => []);
  const others = written.filter((name) => !ownFiles.test(name));
  return [...changes, ...unknown, ...left.flat().map((name) => `temp/${name}`), ...others];
}

/** The folders of the processes in a server's folder; for any other entry, the entry itself. */
async function foldersIn(temp: string, name: string): Promise<string[]> {
  const numbers = (await readdir(join(temp, name)).catch(() => [])).filter((entry) => /^\d+$/.test(entry));
  return numbers.length > 0 ? numbers.map((number) => `${name}/${number}`) : [name];
}
