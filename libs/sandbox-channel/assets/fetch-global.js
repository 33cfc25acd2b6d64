import { HostError } from './channel.js';

/** Statuses without a body, by the fetch standard. */
const nullBodyStatuses = [101, 103, 204, 205, 304];

/**
 * A `fetch` that asks the server, because the process has no network. The server performs the request if
 * `permissions.net` names the host.
 */
export function createFetch(channel) {
  return async function fetch(input, init) {
    const request = new Request(input, init);
    const body = request.body ? new Uint8Array(await request.arrayBuffer()) : undefined;
    const reply = await abortable(request.signal, () =>
      channel.request('fetch', {
        url: request.url,
        method: request.method,
        headers: [...request.headers],
        ...(body && { body: body.toBase64() }),
      }),
    );
    const { url, status, statusText, headers } = reply;
    const bytes = nullBodyStatuses.includes(status) ? null : Uint8Array.fromBase64(reply.body);
    const response = new Response(bytes, { status, statusText, headers });
    Object.defineProperty(response, 'url', { value: url });
    Object.defineProperty(response, 'redirected', { value: url !== request.url });
    return response;
  };
}

/** Follows the standard: a refusal is a TypeError, and an abort rejects with the signal's reason. */
async function abortable(signal, ask) {
  signal.throwIfAborted();
  let abort;
  const aborted = new Promise((_, reject) => {
    abort = () => reject(signal.reason);
    signal.addEventListener('abort', abort, { once: true });
  });
  try {
    return await Promise.race([ask(), aborted]);
  } catch (error) {
    if (!(error instanceof HostError)) throw error;
    throw Object.assign(new TypeError(error.message), { code: error.fields.code });
  } finally {
    signal.removeEventListener('abort', abort);
  }
}
