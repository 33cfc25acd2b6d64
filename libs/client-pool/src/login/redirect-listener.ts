import { timingSafeEqual } from 'node:crypto';

import { CodeExecutorError } from '@code-executor/contracts';
import type { HttpAnswer } from '@code-executor/http-server';

const path = '/callback';
const maxQueryChars = 16_384;
/** Nothing of the request is in it, and nothing in it loads or runs. */
const page = `<!doctype html>
<html lang="en"><meta charset="utf-8"><title>Code Executor</title>
<p>Code Executor has received the answer. You can close this page.</p></html>
`;
const headers = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'referrer-policy': 'no-referrer',
  'cache-control': 'no-store',
};

export interface RedirectListener {
  /** Where the authorization server sends the browser to. */
  url: string;
  /** The parameters of the first request with the right state. */
  answer: Promise<URLSearchParams>;
  close(): Promise<void>;
}

/** Listens on a free port of this machine for the end of a login, whose `state` nobody else knows. */
export async function openRedirectListener(state: string): Promise<RedirectListener> {
  // Imported here, because most processes never log in.
  const { startOpenServer } = await import('@code-executor/http-server');
  let accept: (parameters: URLSearchParams) => void = () => undefined;
  const answer = new Promise<URLSearchParams>((resolve) => (accept = resolve));
  const handle = ({ url }: { url: string }): HttpAnswer => {
    const parameters = new URL(url.slice(0, maxQueryChars), 'http://127.0.0.1').searchParams;
    if (!isEqual(parameters.get('state') ?? '', state)) {
      throw new CodeExecutorError('invalid_argument', 'This is not the answer to a login that is under way.');
    }
    accept(parameters);
    return { body: page, headers };
  };
  const server = await startOpenServer(
    [
      {
        authentication: 'open',
        origins: 'navigation',
        body: 'none',
        routes: [{ method: 'GET', path, handle }],
      },
    ],
    { host: '127.0.0.1', port: 0 },
  );
  return { url: `${server.url}${path}`, answer, close: () => server.close() };
}

function isEqual(one: string, other: string): boolean {
  const [a, b] = [Buffer.from(one), Buffer.from(other)];
  return a.length === b.length && timingSafeEqual(a, b);
}
