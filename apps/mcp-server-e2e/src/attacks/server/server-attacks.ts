import { auditRecord } from './audit-record.js';
import { changedDefinitions } from './changed-definitions.js';
import { configContent } from './config-content.js';
import { configPlaces } from './config-places.js';
import { endlessRequests } from './endless-requests.js';
import { failingHooks } from './failing-hooks.js';
import { printedSecrets } from './printed-secrets.js';
import { machine } from './machine.js';
import { projectFiles } from './project-files.js';
import { questions } from './questions.js';
import { secrets } from './secrets.js';
import type { ServerAttack } from './server-attack.js';
import { serverNames } from './server-names.js';
import { upstreamDefinitions } from './upstream-definitions.js';

/** Every attack on how the server is started and where it runs, in the order of docs/security/attacks.md. */
export const serverAttacks: readonly ServerAttack[] = [
  ...configPlaces,
  ...configContent,
  ...secrets,
  ...upstreamDefinitions,
  ...printedSecrets,
  ...endlessRequests,
  ...projectFiles,
  ...machine,
  ...serverNames,
  ...auditRecord,
  ...changedDefinitions,
  ...failingHooks,
  ...questions,
];
