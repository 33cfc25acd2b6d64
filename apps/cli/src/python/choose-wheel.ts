import { CodeExecutorError } from '@code-executor/contracts';
import { rcompare, satisfies } from '@renovatebot/pep440';

import type { OfferedWheel, PackageIndex } from './package-index.js';
import { type Requirement, requirementText } from './requirement.js';
import type { Target } from './target.js';
import { parseWheelName } from './wheel-name.js';

/**
 * The newest version that a requirement allows and that fits this Python; pre-releases and withdrawn versions only if
 * the requirement names them.
 *
 * @throws CodeExecutorError `not_found` when the index has none.
 */
export async function chooseWheel(
  index: PackageIndex,
  requirement: Requirement,
  target: Target,
): Promise<OfferedWheel> {
  const offers = await index.offers(requirement.name);
  const named = offers.flatMap((offer) => {
    const wheel = parseWheelName(offer.fileName);
    return wheel?.name === requirement.name ? { offer, ...wheel } : [];
  });
  const isPinned = /^===?[^*]+$/.test(requirement.specifier);
  const allowed = named.filter(
    ({ offer, version }) => satisfies(version, requirement.specifier) && (!offer.isYanked || isPinned),
  );
  const fitting = allowed.flatMap(({ offer, tags, ...wheel }) => {
    const rank = target.rankOf(tags);
    return rank === undefined || !target.allowsPython(offer.requiresPython) ? [] : { offer, rank, ...wheel };
  });
  fitting.sort((a, b) => rcompare(a.version, b.version) || a.rank - b.rank || b.build - a.build);
  const [best] = fitting;
  if (best) return best.offer;
  throw new CodeExecutorError(
    'not_found',
    `The index ${index.name} has no wheel of ${requirementText(requirement)} that fits${whyNot(named, allowed, target)}${named.length === 0 && index.advice ? ` ${index.advice}` : ''}`,
  );
}

interface Version {
  version: string;
  offer: OfferedWheel;
}

function whyNot(named: readonly Version[], allowed: readonly Version[], target: Target): string {
  if (named.length === 0) return ': it has no wheel of that name at all.';
  const newest = (wheels: readonly Version[]) =>
    [...wheels].sort((a, b) => rcompare(a.version, b.version)).slice(0, 3);
  if (allowed.length > 0) {
    const files = newest(allowed).map(({ offer }) => offer.fileName);
    return `: there is ${files.join(', ')}, and tags must be ${target.fittingTags}, for Python ${target.info.python}.`;
  }
  const versions = new Set(newest(named).map(({ version }) => version));
  return `: the newest versions are ${[...versions].join(', ')}.`;
}
