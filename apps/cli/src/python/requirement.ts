import { CodeExecutorError } from '@code-executor/contracts';
import { validRange } from '@renovatebot/pep440';

import { isPackageName, normalizeName } from './package-name.js';

/** A package that a user or another package asks for: `requests[socks]>=2,<3; python_version < "4"`. */
export interface Requirement {
  /** Normalized. */
  name: string;
  /** Normalized names of optional parts. */
  extras: string[];
  /** A PEP 440 version specifier; empty for any version. */
  specifier: string;
  /** The condition under which it applies; absent if it always does. */
  marker?: string;
}

const maxLength = 4096;
const shape =
  /^(?<name>[a-z0-9][a-z0-9._-]*)\s*(?:\[(?<extras>[^\]]*)\])?\s*(?<specifier>\([^()]*\)|[^();@]*)(?:;(?<marker>.*))?$/is;

/**
 * Parses a PEP 508 requirement.
 *
 * @throws CodeExecutorError `invalid_argument` for anything else, including requirements with a URL: only files that an
 * index lists can be checked against its hash and found again.
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
      `${shown} is not a package requirement; write NAME, NAME==VERSION or another specifier such as "NAME>=1.2,<2".`,
    );
  }
  return {
    name: normalizeName(name),
    extras: parts.filter((extra) => extra !== '').map(normalizeName),
    specifier: range,
    ...(marker.trim() !== '' && { marker: marker.trim() }),
  };
}

/** The requirement as a user would write it. */
export function requirementText({ name, extras, specifier }: Requirement): string {
  return `${name}${extras.length > 0 ? `[${extras.join(',')}]` : ''}${specifier}`;
}
