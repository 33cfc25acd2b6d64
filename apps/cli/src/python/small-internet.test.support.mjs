/** Loaded before the command: whatever is fetched from the makers of Pyodide comes from `SMALL_INTERNET`; without it, from nowhere. */
const realFetch = globalThis.fetch;
const base = process.env.SMALL_INTERNET;

globalThis.fetch = (address, options) => {
  const url = new URL(address);
  if (url.hostname !== 'cdn.jsdelivr.net') return realFetch(address, options);
  if (base === undefined) throw new TypeError('fetch failed', { cause: { code: 'ENOTFOUND' } });
  return realFetch(new URL(url.pathname, base), options);
};
