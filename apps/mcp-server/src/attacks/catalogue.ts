import type { Attack } from './attack.js';
import { environment } from './environment.js';
import { files } from './files.js';
import { flow } from './flow.js';
import { grantedFolders } from './granted-folders.js';
import { grantedHosts } from './granted-hosts.js';
import { grantedThings } from './granted-things.js';
import { httpAttacks } from './http/http-attacks.js';
import { imports } from './imports.js';
import { lifecycle } from './lifecycle.js';
import { nativeSockets } from './native-sockets.js';
import { network } from './network.js';
import { operatingSystem } from './operating-system.js';
import { overload } from './overload.js';
import { pipe } from './pipe.js';
import { pythonAttacks } from './python/python-attacks.js';
import { policy } from './policy.js';
import { processes } from './processes.js';
import { requires } from './requires.js';
import { resources } from './resources.js';
import { runtime } from './runtime.js';
import { serverAttacks } from './server/server-attacks.js';
import { sharedServers } from './shared-servers.js';
import { sqlite } from './sqlite.js';
import { upstreamResults } from './upstream-results.js';
import { values } from './values.js';
import { walls } from './walls.js';

/** Every attack by programs in TypeScript, and by clients. */
export const typescriptAttacks: readonly Attack[] = [
  ...imports,
  ...requires,
  ...files,
  ...sqlite,
  ...grantedFolders,
  ...grantedThings,
  ...environment,
  ...network,
  ...nativeSockets,
  ...processes,
  ...resources,
  ...values,
  ...pipe,
  ...flow,
  ...policy,
  ...upstreamResults,
  ...overload,
  ...sharedServers,
  ...grantedHosts,
  ...lifecycle,
  ...walls,
  ...runtime,
  ...operatingSystem,
];

/** Every attack that is made in each isolation mode, in the order of docs/security/attacks.md. */
export const attacks: readonly Attack[] = [...typescriptAttacks, ...pythonAttacks];

/** Those on the HTTP door, and on the start and the surroundings of the server, which are made once. */
export const attacksMadeOnce = [...httpAttacks, ...serverAttacks];
