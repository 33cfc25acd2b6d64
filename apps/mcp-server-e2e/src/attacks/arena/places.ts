import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** What an attack may aim at. */
export interface Places {
  /** Stands in every place below that is a secret; nothing of it may come out. */
  canary: string;
  /** The home folder of the server, which holds everything else. */
  home: string;
  /** The temp folder of the server, in which another user has left files that configure Deno. */
  temp: string;
  /** A folder with `secret.txt`, `.json`, `.js`, `.cjs`, `.env`, and `data`. */
  secrets: string;
  /** A folder that may be read, with links that lead out of it. */
  readable: string;
  /** A folder that may be written, with links that lead out of it. */
  writable: string;
  /** Where attacks put what they need. */
  stage: string;
  /** A pipe that the server was started with, as descriptor 8, and never reads. */
  pipe: string;
  /** A TCP port of 127.0.0.1 where connections are counted. */
  port: number;
  /** A Unix socket where connections are counted, and one in the abstract name space. */
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

/** What is in the home and in the temp folder from the beginning, and what the tests themselves put there. */
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
/** What the server itself keeps in its home. */
const ownFiles =
  /^(?:schema-cache\.json|python(?:\/snapshot-[^/]*\.bin)?|audit-logs(?:\/audit-\d{4}-\d\d-\d\d\.jsonl)?)$/;
const tempEntries = ['.env', 'deno.json', 'node_modules', 'package.json'];

/** Lays out files, links and secrets in the home folder; everything but the sockets. */
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

/** Deno looks for these files in its working folder and above; a temp folder is writable for everybody. */
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

/** What is not as it was laid out, in the secrets folder, the home folder and the temp folder. */
export async function changesOf({ home, temp, secrets, canary }: Places): Promise<string[]> {
  const texts = secretFiles(canary);
  const changes: string[] = [];
  for (const name of new Set([...Object.keys(texts), ...(await readdir(secrets))])) {
    const text = await readFile(join(secrets, name), 'utf8').catch(() => undefined);
    if (text !== texts[name]) changes.push(`secrets/${name}`);
  }
  const strange = (await readdir(home)).filter((name) => !homeEntries.includes(name));
  const left = await Promise.all(
    (await readdir(temp)).filter((name) => !tempEntries.includes(name)).map((name) => foldersIn(temp, name)),
  );
  const written = await readdir(join(home, '.code-executor'), { recursive: true }).catch(() => []);
  const others = written.filter((name) => !ownFiles.test(name));
  return [...changes, ...strange, ...left.flat().map((name) => `temp/${name}`), ...others];
}

/** In the folder of a server, those of its processes; else the folder itself. */
async function foldersIn(temp: string, name: string): Promise<string[]> {
  const numbers = (await readdir(join(temp, name)).catch(() => [])).filter((entry) => /^\d+$/.test(entry));
  return numbers.length > 0 ? numbers.map((number) => `${name}/${number}`) : [name];
}
