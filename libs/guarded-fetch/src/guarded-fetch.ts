import { lookup as systemLookup } from 'node:dns/promises';
import { connect as connectTcp } from 'node:net';

import {
  anySignal,
  CodeExecutorError,
  type HttpFetcher,
  type HttpFetchOptions,
  type HttpRequest,
  type HttpResponse,
  untilAborted,
} from '@code-executor/contracts';
import { Agent, type Dispatcher } from 'undici';

import { checkRequest, type OutgoingRequest } from './check-request.js';
import { checkUrl } from './check-url.js';
import { toFetchError } from './fetch-failure.js';
import { guardedConnector, type Network } from './guarded-connector.js';
import { redirectRequest, redirectTarget, resolveRedirect } from './redirect.js';
import { acceptedEncodings, decodersFor, readBody } from './response-body.js';

export interface GuardedFetchOptions extends Partial<Network> {
  /** From the request to the last byte of the answer, all redirects included; default 30000. */
  timeoutMs?: number;
  /** Largest body of an answer, as sent and as decoded; default 8 MiB. */
  maxResponseBytes?: number;
  /** Redirects of one request that are followed; default 5. */
  maxRedirects?: number;
}

/** An `HttpFetcher` that reaches granted, public hosts only. */
export interface GuardedFetch extends HttpFetcher {
  /** Ends all requests and connections. */
  close(): Promise<void>;
}

/** Connections to one host at once; further requests wait. */
const maxConnectionsPerHost = 16;

export function createGuardedFetch({
  lookup = lookupAll,
  connect = (host, port) => connectTcp({ host, port }),
  timeoutMs = 30_000,
  maxResponseBytes = 8 * 1024 * 1024,
  maxRedirects = 5,
}: GuardedFetchOptions = {}): GuardedFetch {
  const agent = new Agent({
    connect: guardedConnector({ lookup, connect }),
    connections: maxConnectionsPerHost,
    // The time limit of this library holds instead.
    headersTimeout: 0,
    bodyTimeout: 0,
  });

  async function fetch(request: HttpRequest, { allow, signal }: HttpFetchOptions): Promise<HttpResponse> {
    const timeout = AbortSignal.timeout(timeoutMs);
    const either = anySignal(timeout, signal);
    let url = checkUrl(request.url, allow);
    let outgoing = checkRequest(request);
    try {
      for (let redirects = 0; ; redirects++) {
        either.throwIfAborted();
        // Undici itself sees the signal only once it is connected.
        const response = await untilAborted(send(agent, url, outgoing, either), either);
        const headers = headerPairs(response.headers);
        const target = redirectTarget(response.statusCode, headers);
        if (target === undefined) {
          const read = await readResponse(response, headers, outgoing.method, maxResponseBytes);
          return { url: url.href, status: response.statusCode, statusText: response.statusText, ...read };
        }
        // The body of a redirect is not needed; reading a short one keeps the connection for the next request.
        await response.body.dump({ limit: 16 * 1024, signal: either });
        if (redirects >= maxRedirects) throw tooManyRedirects(url, maxRedirects);
        const next = checkUrl(resolveRedirect(target, url), allow);
        outgoing = redirectRequest(outgoing, response.statusCode, url, next);
        url = next;
      }
    } catch (reason) {
      throw toFetchError(reason, { host: url.host, signal, timeout, timeoutMs });
    }
  }

  return { fetch, close: () => agent.destroy() };
}

async function lookupAll(hostname: string): Promise<string[]> {
  const found = await systemLookup(hostname, { all: true });
  return found.map(({ address }) => address);
}

function send(
  agent: Agent,
  url: URL,
  { method, headers, body }: OutgoingRequest,
  signal: AbortSignal,
): Promise<Dispatcher.ResponseData> {
  return agent.request({
    origin: url.origin,
    path: `${url.pathname}${url.search}`,
    method: method,
    headers: [...headers, ['accept-encoding', acceptedEncodings] as const].flat(),
    body: body ?? null,
    signal,
    responseHeaders: 'raw',
  });
}

/** With `responseHeaders: 'raw'`, names and values alternate, which the types do not say. */
function headerPairs(raw: unknown): [name: string, value: string][] {
  const texts = (raw as (string | Buffer)[]).map((text) => text.toString('latin1'));
  return texts.flatMap((name, index) => (index % 2 === 0 ? [[name, texts[index + 1] ?? '']] : []));
}

async function readResponse(
  { statusCode, body }: Dispatcher.ResponseData,
  headers: [string, string][],
  method: string,
  maxBytes: number,
): Promise<{ headers: [string, string][]; body: Uint8Array }> {
  const encoding = headers.flatMap(([name, value]) =>
    name.toLowerCase() === 'content-encoding' ? [value] : [],
  );
  const hasBody = method !== 'HEAD' && statusCode !== 204 && statusCode !== 304;
  const decoders = hasBody ? decodersFor(encoding.join(',')) : undefined;
  const bytes = await readBody(body, decoders ?? [], maxBytes);
  // The program gets the decoded body, and headers that fit it.
  const isDecoded = decoders !== undefined && decoders.length > 0;
  const stale = (name: string) => ['content-encoding', 'content-length'].includes(name.toLowerCase());
  return { headers: isDecoded ? headers.filter(([name]) => !stale(name)) : headers, body: bytes };
}

function tooManyRedirects(url: URL, maxRedirects: number): CodeExecutorError {
  const problem = `Host ${url.host} redirects further after ${maxRedirects} redirects; ask for the last address directly.`;
  return new CodeExecutorError('unavailable', problem, { retryAfterMs: 1000 });
}
