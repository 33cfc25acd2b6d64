import { systemCodeOf } from '@code-executor/contracts';

import { HookFailure, maxAnswerBytes, tooLong, tooSlow } from './hook-failure.js';

export interface UrlOptions {
  url: string;
  headers: Readonly<Record<string, string>>;
  timeoutMs: number;
  signal: AbortSignal | undefined;
}

/** Posts the text; resolves with the body of the answer. Redirects are not followed. */
export async function askUrl(body: string, { url, headers, timeoutMs, signal }: UrlOptions): Promise<string> {
  const ending = new AbortController();
  const timer = setTimeout(() => ending.abort(tooSlow(timeoutMs)), timeoutMs);
  const onAbort = () => ending.abort(new HookFailure('the call was cancelled'));
  signal?.addEventListener('abort', onAbort, { once: true });
  try {
    const response = await fetch(url, {
      method: 'POST',
      body,
      headers: { ...headers, 'content-type': 'application/json', accept: 'application/json' },
      redirect: 'manual',
      signal: ending.signal,
    });
    if (response.status !== 200) {
      void response.body?.cancel().catch(() => undefined);
      throw new HookFailure(`it answered with the status ${response.status}`);
    }
    return await readBody(response);
  } catch (error) {
    if (error instanceof HookFailure) throw error;
    const { cause } = error as Error;
    throw new HookFailure('it cannot be reached', { error: systemCodeOf(cause) ?? String(error) });
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', onAbort);
    // Ends a body that was not read to its end.
    ending.abort();
  }
}

async function readBody({ body }: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  if (body) {
    for await (const chunk of body as AsyncIterable<Uint8Array>) {
      bytes += chunk.length;
      if (bytes > maxAnswerBytes) throw tooLong();
      chunks.push(chunk);
    }
  }
  return Buffer.concat(chunks).toString();
}
