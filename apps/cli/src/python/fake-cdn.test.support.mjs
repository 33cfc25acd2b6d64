/** Preloaded before the command: requests to Pyodide's CDN go to `FAKE_CDN`, or fail as without network if it is not set. */
const realFetch = globalThis.fetch;
const base = process.env.FAKE_CDN;

globalThis.fetch = (address, options) => {
  const url = new URL(address);
  if (url.hostname !== 'cdn.jsdelivr.net') return realFetch(address, options);
  if (base === undefined) throw new TypeError('fetch failed', { cause: { code: 'ENOTFOUND' } });
  return realFetch(new URL(url.pathname, base), options);
};
