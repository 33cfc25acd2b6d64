import type { IncomingMessage } from 'node:http';

import { CodeExecutorError } from '@code-executor/contracts';

/** Why a request is refused before anybody looks at its token. */
export interface Refusal {
  status: number;
  error: CodeExecutorError;
}

const names = ['127.0.0.1', 'localhost', '[::1]'];

/**
 * Refuses what no program on this machine sends, but a web page does that has its own name resolved to this
 * address (DNS rebinding), or somebody who hopes that two readers of a request differ.
 */
export function refusalOf(request: IncomingMessage): Refusal | undefined {
  const { headers, headersDistinct, httpVersion, socket, url = '' } = request;
  if (httpVersion !== '1.1') return refuse(400, 'This server speaks HTTP/1.1 only.');
  if (!url.startsWith('/')) return refuse(400, 'The target of a request is a path here, not a URL.');
  const [host = '', ...others] = headersDistinct['host'] ?? [];
  if (others.length > 0) return refuse(400, 'The request has several Host headers; send one.');
  const port = socket.localPort ?? 0;
  // Clients leave the default port out.
  const forms =
    port === 80 ? [...names, ...names.map((name) => `${name}:80`)] : names.map((name) => `${name}:${port}`);
  if (!forms.includes(host.toLowerCase())) {
    return refuse(421, `This server answers to the Host ${forms.join(' or ')} only.`);
  }
  if (headers.origin !== undefined || (headers['sec-fetch-site'] ?? 'none') !== 'none') {
    return refuse(403, 'Web pages may not call this server; call it from a program.');
  }
  if (headers['content-encoding'] !== undefined) return refuse(415, 'Send the body not compressed.');
  return undefined;
}

function refuse(status: number, message: string): Refusal {
  const code = status === 403 || status === 421 ? 'permission_denied' : 'invalid_argument';
  return { status, error: new CodeExecutorError(code, message) };
}
