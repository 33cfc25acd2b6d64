import { open } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

import { CodeExecutorError } from '@code-executor/contracts';

import type { HostCall } from '../host-call.js';

/** In base64, a part fits into a frame of one mebibyte. */
const partBytes = 720 * 1024;
const require = createRequire(import.meta.url);
const wasm = () => require.resolve('@resvg/resvg-wasm/index_bg.wasm');

/** The renderer and its fonts. They are located when they are needed, because most programs draw no SVG. */
const files: ReadonlyMap<unknown, () => string> = new Map([
  ['module', () => join(dirname(wasm()), 'index.mjs')],
  ['wasm', wasm],
  ['regular', () => require.resolve('@fontsource/dejavu-sans/files/dejavu-sans-latin-400-normal.woff2')],
  ['bold', () => require.resolve('@fontsource/dejavu-sans/files/dejavu-sans-latin-700-normal.woff2')],
]);

/**
 * Sends the files of the SVG renderer, one part at a time: `{ file, start }`. SVG is untrusted, so it is drawn inside
 * the sandbox, which cannot read files itself.
 */
export const svgRenderer: HostCall = {
  async answer({ file: name, start }) {
    const path = files.get(name);
    if (!path || !Number.isSafeInteger(start) || (start as number) < 0) {
      throw new CodeExecutorError('invalid_argument', 'The SVG renderer has no such file.');
    }
    const file = await open(path());
    try {
      const { size } = await file.stat();
      const { buffer, bytesRead } = await file.read(Buffer.alloc(partBytes), 0, partBytes, start as number);
      const part = buffer.toString('base64', 0, bytesRead);
      return { part, isLast: (start as number) + bytesRead >= size };
    } finally {
      await file.close();
    }
  },
};
