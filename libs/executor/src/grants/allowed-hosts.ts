/** Whether a pattern of `security.allowNetwork` covers a host that was asked for. */
export function matchesHost(pattern: string, host: string): boolean {
  const [allowed, asked] = [splitHost(pattern), splitHost(host)];
  // Without a port, a host means the scheme's own: others may be other services.
  if (allowed.port !== asked.port) return false;
  if (allowed.name === '*') return true;
  return allowed.name.startsWith('*.')
    ? asked.name.endsWith(allowed.name.slice(1)) && asked.name.length >= allowed.name.length
    : asked.name === allowed.name;
}

/** `name` and `port` of `host`, `host:port`, `[v6]` or `[v6]:port`. */
function splitHost(text: string): { name: string; port: string | undefined } {
  const [, name = text, port] = /^(.*?)(?::(\d+))?$/u.exec(text) ?? [];
  return { name: name.toLowerCase(), port };
}
