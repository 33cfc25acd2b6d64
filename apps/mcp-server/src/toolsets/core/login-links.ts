import type { LoginLink } from '../../tool.js';

/** Longer addresses are not shown: clients would cut them, or a person could not see where they lead. */
const maxUrlChars = 8192;
const loopback: ReadonlySet<string> = new Set(['localhost', '127.0.0.1', '[::1]']);

type BeginLogin = (server: string) => Promise<{ url: string; finished: Promise<unknown> }>;

/** Passes on a link to log in at a server: once for each, however many calls fail there. Resolves with whether it did. */
export function loginLinks(
  beginLogin: BeginLogin,
  show: (link: LoginLink) => void,
): (server: string) => Promise<boolean> {
  const offered = new Map<string, Promise<boolean>>();
  const offer = async (server: string) => {
    const { url, finished } = await beginLogin(server);
    if (!mayBeShown(url)) return false;
    show({ server, url, finished });
    return true;
  };
  return (server) => {
    const before = offered.get(server);
    if (before) return before;
    const isOffered = offer(server);
    offered.set(server, isOffered);
    return isOffered;
  };
}

/** The address comes from the server, and a person is going to open it. */
function mayBeShown(address: string): boolean {
  if (address.length > maxUrlChars || !URL.canParse(address)) return false;
  const { protocol, hostname, username, password } = new URL(address);
  // A user name can look like a host.
  if (username !== '' || password !== '') return false;
  return protocol === 'https:' || (protocol === 'http:' && loopback.has(hostname));
}
