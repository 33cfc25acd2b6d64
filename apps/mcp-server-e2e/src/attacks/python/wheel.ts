import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { crc32 } from 'node:zlib';

const pyodideLock = createRequire(
  createRequire(import.meta.url).resolve('@code-executor/sandbox-pyodide/package.json'),
).resolve('pyodide/pyodide-lock.json');

/** A zip file whose entries have exactly the given names, wherever these lead. */
export function wheelWith(files: Readonly<Record<string, string>>): Buffer {
  const entries: Buffer[] = [];
  const directory: Buffer[] = [];
  let offset = 0;
  for (const [name, text] of Object.entries(files)) {
    const [path, content] = [Buffer.from(name), Buffer.from(text)];
    // Version, flags, method (stored), time, date, checksum, sizes, length of the name, and no extra field.
    const common = Buffer.alloc(26);
    common.writeUInt16LE(20, 0);
    common.writeUInt16LE(0x21, 8);
    common.writeUInt32LE(crc32(content), 10);
    common.writeUInt32LE(content.length, 14);
    common.writeUInt32LE(content.length, 18);
    common.writeUInt16LE(path.length, 22);
    const entry = Buffer.concat([Buffer.from('PK\x03\x04'), common, path, content]);
    const rest = Buffer.alloc(14);
    rest.writeUInt32LE(offset, 10);
    directory.push(Buffer.concat([Buffer.from('PK\x01\x02\x14\0'), common, rest, path]));
    entries.push(entry);
    offset += entry.length;
  }
  const end = Buffer.alloc(18);
  end.writeUInt16LE(entries.length, 4);
  end.writeUInt16LE(entries.length, 6);
  end.writeUInt32LE(Buffer.concat(directory).length, 8);
  end.writeUInt32LE(offset, 12);
  return Buffer.concat([...entries, ...directory, Buffer.from('PK\x05\x06'), end]);
}

/** A lock file like that of an operator's folder, with pure packages that have the names of their modules. */
export async function lockWith(
  packages: Readonly<Record<string, { fileName: string; sha256: string }>>,
): Promise<string> {
  const { info } = JSON.parse(await readFile(pyodideLock, 'utf8')) as { info: object };
  const entries = Object.entries(packages).map(([name, { fileName, sha256 }]) => [
    name,
    {
      ...{ name, version: '1.0', file_name: fileName, sha256, imports: [name], depends: [] },
      ...{ install_dir: 'site', package_type: 'package', unvendored_tests: false },
    },
  ]);
  return JSON.stringify({ info, packages: Object.fromEntries(entries) as object });
}
