import { isRecord } from '../json-record.js';

/**
 * Which era of MCP a server was seen to speak, kept as JSON with its list of tools, so that the next connection need
 * not ask again. `modern` is 2026-07-28 and later, `legacy` everything before.
 */
export type ProtocolVerdict = { era: 'legacy'; at: number } | ModernVerdict;

export interface ModernVerdict {
  era: 'modern';
  /** When it was seen, in ms since 1970. */
  at: number;
  versions: string[];
  announcesTools: boolean;
}

/** A server may have been updated since, which a legacy verdict would hide for ever. */
const maxAgeMs = 86_400_000;
const maxVersions = 16;
const versionPattern = /^\d{4}-\d{2}-\d{2}$/;

/** The verdict that a server's own list of versions gives. */
export function modernVerdict(versions: readonly string[], announcesTools: boolean): ModernVerdict {
  const usable = versions.filter((version) => versionPattern.test(version)).slice(0, maxVersions);
  return { era: 'modern', at: Date.now(), versions: usable, announcesTools };
}

/** A verdict that was kept in a cache; undefined if it is too old, or not one. */
export function toProtocolVerdict(value: unknown): ProtocolVerdict | undefined {
  if (!isRecord(value)) return undefined;
  const { era, at, versions, announcesTools } = value;
  const ageMs = typeof at === 'number' ? Date.now() - at : NaN;
  if (!(ageMs >= 0 && ageMs < maxAgeMs)) return undefined;
  if (era === 'legacy') return { era, at: at as number };
  if (era !== 'modern' || !Array.isArray(versions)) return undefined;
  const usable = (versions as unknown[]).filter((version) => typeof version === 'string');
  return { ...modernVerdict(usable, announcesTools === true), at: at as number };
}
