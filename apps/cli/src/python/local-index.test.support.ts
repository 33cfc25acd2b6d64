import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';

import { normalizeName } from './package-name.js';
import type { TestWheel } from './wheel.test.support.js';

export interface LocalIndex {
  url: string;
  /** Paths that were asked for, in order. */
  requests: string[];
  close(): Promise<void>;
}

/** Starts a server on a free port. */
export async function listen(
  listener: RequestListener,
): Promise<{ origin: string; close: () => Promise<void> }> {
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    origin: `http://127.0.0.1:${port}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

export interface IndexOptions {
  format?: 'json' | 'html';
  /** The hash that the index gives for every wheel. Default: the real ones. */
  sha256?: string;
  isYanked?: (wheel: TestWheel) => boolean;
  requiresPython?: (wheel: TestWheel) => string | undefined;
  /** `user:password`; requests without it are answered with 401. */
  credentials?: string;
}

/** A simple index of these wheels. */
export async function serveIndex(
  wheels: readonly TestWheel[],
  options: IndexOptions = {},
): Promise<LocalIndex> {
  const { format = 'json', sha256, isYanked = () => false, requiresPython = () => undefined } = options;
  const requests: string[] = [];
  const { origin, close } = await listen((request, response) => {
    const path = request.url ?? '';
    requests.push(path);
    const expected = `Basic ${Buffer.from(options.credentials ?? '').toString('base64')}`;
    if (options.credentials !== undefined && request.headers.authorization !== expected) {
      response.writeHead(401).end();
      return;
    }
    const file = wheels.find(({ fileName }) => path === `/files/${fileName}`);
    if (file) {
      response.writeHead(200, { 'content-length': file.bytes.length }).end(file.bytes);
      return;
    }
    const name = /^\/simple\/([^/]+)\/$/.exec(path)?.[1];
    const offers = wheels.filter(({ fileName }) => normalizeName(fileName.split('-')[0] ?? '') === name);
    if (offers.length === 0) response.writeHead(404).end('not here');
    else if (format === 'json') {
      const files = offers.map((wheel) => ({
        filename: wheel.fileName,
        url: `../../files/${wheel.fileName}`,
        hashes: { sha256: sha256 ?? wheel.sha256 },
        'requires-python': requiresPython(wheel),
        yanked: isYanked(wheel),
      }));
      response.writeHead(200, { 'content-type': 'application/vnd.pypi.simple.v1+json' });
      response.end(JSON.stringify({ meta: { 'api-version': '1.1' }, name, files: [null, {}, ...files] }));
    } else {
      const anchors = offers.map((wheel) => {
        const python = requiresPython(wheel);
        const requires =
          python === undefined
            ? ''
            : ` data-requires-python="${python.replaceAll('<', '&lt;').replaceAll('>', '&gt;')}"`;
        const href = `../../files/${wheel.fileName}#sha256=${sha256 ?? wheel.sha256}`;
        return `<a href='${href}'${requires}${isYanked(wheel) ? ' data-yanked="broken"' : ''}>${wheel.fileName}</a><br/>`;
      });
      response.writeHead(200, { 'content-type': 'text/html' });
      response.end(`<!DOCTYPE html><html><body><a>nothing</a>${anchors.join('\n')}</body></html>`);
    }
  });
  return { url: `${origin}/simple`, requests, close };
}
