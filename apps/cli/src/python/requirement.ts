import { CodeExecutorError } from '@code-executor/contracts';
import { validRange } from '@renovatebot/pep440';

import { isPackageName, normalizeName } from './package-name.js';

/** What a user or a package asks for: `requests[socks]>=2,<3; python_version < "4"`. */
export interface Requirement {
  /** Normalized. */
  name: string;
  /** Normalized names of optional parts. */
  extras: string[];
  /** Versions as PEP 440 specifies them; empty for any. */
  specifier: string;
  /** When it counts; absent for always. */
  marker?: string;
}

const maxLength = 4096;
const shape =
  /^(?<name>[a-z0-9][a-z0-9._-]*)\s*(?:\[(?<extras>[^\]]*)\])?\s*(?<specifier>\([^()]*\)|[^();@]*)(?:;(?<marker>.*))?$/is;

/**
 * Reads a requirement as PEP 508 has them.
 *
 * @throws CodeExecutorError `invalid_argument` for anything else, also for the form with a URL: what
 * stands in an index can be checked against its hash, and offered again.
 */
export function parseRequirement(text: string): Requirement {
  const fields = text.length > maxLength ? undefined : shape.exec(text.trim())?.groups;
  const { name = '', extras = '', specifier = '', marker = '' } = fields ?? {};
  const range = specifier.replace(/^\(|\)$/g, '').trim();
  const parts = extras.split(',').map((extra) => extra.trim());
  const isReadable =
    isPackageName(name) && (extras.trim() === '' || parts.every(isPackageName)) && validRange(range);
  if (!isReadable) {
    const shown = JSON.stringify(text.slice(0, 100));
    throw new CodeExecutorError(
      'invalid_argument',
      `${shown} names no package; write NAME, NAME==VERSION or another version specifier such as "NAME>=1.2,<2".`,
    );
  }
  return {
    name: normalizeName(name),
    extras: parts.filter((extra) => extra !== '').map(normalizeName),
    specifier: range,
    ...(marker.trim() !== '' && { marker: marker.trim() }),
  };
}

/** As a user would write it. */
export function requirementText({ name, extras, specifier }: Requirement): string {
  return `${name}${extras.length > 0 ? `[${extras.join(',')}]` : ''}${specifier}`;
}
