import type { CallOptions } from './tool.js';

/** One HTTP request of sandboxed code. The fetcher follows redirects, the caller does not. */
export interface HttpRequest {
  url: string;
  method: string;
  headers: [name: string, value: string][];
  body?: Uint8Array;
}

export interface HttpResponse {
  /** The address that answered, after redirects. */
  url: string;
  status: number;
  statusText: string;
  headers: [name: string, value: string][];
  body: Uint8Array;
}

export interface HttpFetchOptions extends CallOptions {
  /** Hosts that may be reached, `host` or `host:port`; each redirect is checked against it again. */
  allow: readonly string[];
}

/** Makes HTTP requests for sandboxed code, outside of the sandbox. */
export interface HttpFetcher {
  fetch(request: HttpRequest, options: HttpFetchOptions): Promise<HttpResponse>;
}
