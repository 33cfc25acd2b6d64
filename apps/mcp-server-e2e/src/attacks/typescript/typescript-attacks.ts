import type { ProgramAttack } from '../arena/program-attack.js';
import { environment } from './environment.js';
import { files } from './files.js';
import { flow } from './flow.js';
import { grantedFolders } from './granted-folders.js';
import { grantedHosts } from './granted-hosts.js';
import { grantsOfOwnFolders } from './grants-of-own-folders.js';
import { imports } from './imports.js';
import { leftInGrantedFolders } from './left-in-granted-folders.js';
import { lifecycle } from './lifecycle.js';
import { nativeSockets } from './native-sockets.js';
import { network } from './network.js';
import { operatingSystem } from './operating-system.js';
import { overload } from './overload.js';
import { pipe } from './pipe.js';
import { policy } from './policy.js';
import { processes } from './processes.js';
import { requires } from './requires.js';
import { resources } from './resources.js';
import { runtime } from './runtime.js';
import { sharedServers } from './shared-servers.js';
import { sqlite } from './sqlite.js';
import { swappedGrants } from './swapped-grants.js';
import { upstreamResults } from './upstream-results.js';
import { values } from './values.js';
import { walls } from './walls.js';

/** Every attack by TypeScript programs, and by clients. */
export const typescriptAttacks: readonly ProgramAttack[] = [
  ...imports,
  ...requires,
  ...files,
  ...sqlite,
  ...grantedFolders,
  ...leftInGrantedFolders,
  ...swappedGrants,
  ...grantsOfOwnFolders,
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
