import { createHash } from 'node:crypto';

import { strToU8, zipSync } from 'fflate';

export interface WheelParts {
  name?: string;
  version?: string;
  tag?: string;
  /** Besides the files that every wheel has. Default: a package of that name with `answer = 42`. */
  files?: Record<string, string>;
  /** Further lines of METADATA. */
  metadata?: string[];
}

export interface TestWheel {
  fileName: string;
  bytes: Uint8Array;
  sha256: string;
}

/** A wheel like those of build tools. */
export function buildWheel(parts: WheelParts = {}): TestWheel {
  const { name = 'sample', version = '1.0', tag = 'py3-none-any', metadata = [] } = parts;
  const { files = { [`${name}/__init__.py`]: 'answer = 42\n' } } = parts;
  const folder = `${name}-${version}.dist-info`;
  const head = ['Metadata-Version: 2.1', `Name: ${name}`, `Version: ${version}`, ...metadata];
  const all: Record<string, string> = {
    ...files,
    [`${folder}/METADATA`]: `${head.join('\n')}\n\nIt does things.\nRequires-Dist: not-a-header\n`,
    [`${folder}/WHEEL`]: `Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: ${tag}\n`,
  };
  const record = Object.entries(all).map(([path, text]) => `${path},sha256=${digest(text)},${text.length}`);
  const content = {
    ...all,
    [`${folder}/RECORD`]: [...record, `${folder}/RECORD,,`, ''].join('\n'),
    ...files,
  };
  const bytes = zipSync(
    Object.fromEntries(Object.entries(content).map(([path, text]) => [path, strToU8(text)])),
  );
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  return { fileName: `${name}-${version}-${tag}.whl`, bytes, sha256 };
}

function digest(text: string): string {
  return createHash('sha256').update(text).digest('base64url');
}
