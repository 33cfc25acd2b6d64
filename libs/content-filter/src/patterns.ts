import { cloudKeys } from './cloud-keys.js';
import { codeHostTokens } from './code-host-tokens.js';
import { email } from './email.js';
import { jwt } from './jwt.js';
import { modelKeys } from './model-keys.js';
import { paymentCard } from './payment-card.js';
import type { Pattern } from './pattern.js';
import { privateKey } from './private-key.js';
import { segmentedTokens } from './segmented-tokens.js';
import { headerTokens, serviceKeys } from './service-keys.js';
import { tokenPattern } from './token-pattern.js';
import { urlCredentials } from './url-credentials.js';
import { usSsn } from './us-ssn.js';

/** All patterns. Where two fit at the same position, the first one counts. */
export const patterns: readonly Pattern[] = [
  ...[...modelKeys, ...codeHostTokens, ...cloudKeys, ...serviceKeys].map(tokenPattern),
  ...segmentedTokens,
  ...[jwt, privateKey, urlCredentials],
  ...[usSsn, paymentCard, email],
];

/** Those that name what follows them: they give way to a pattern that knows it by its own form. */
export const labelPatterns: readonly Pattern[] = headerTokens.map(tokenPattern);
