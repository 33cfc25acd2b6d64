import type { Pins } from './pins.js';
import { changeOf, describeChange, type ToolChange } from './tool-change.js';

/** A tool that differs from its pin. */
export interface ChangedTool {
  server: string;
  tool: string;
  /** When it was pinned, and when it was first seen as it is now, as ISO 8601. */
  pinnedAt: string;
  changedAt: string;
  /** What is different, on one line. */
  what: string;
}

/** A change that can be approved. */
export interface PendingChange extends ChangedTool {
  identity: string;
  /** The hash of the new definition: exactly this is approved. */
  hash: string;
  change: ToolChange;
}

export function listChanges(pins: Pins): PendingChange[] {
  return [...pins].flatMap(([identity, { server, tools }]) =>
    [...tools].flatMap(([tool, { at, pinned, change: found }]) => {
      if (!found) return [];
      const change = changeOf(pinned, found.seen);
      const what = describeChange(change);
      const { hash } = found.seen;
      return { server, tool, pinnedAt: at, changedAt: found.at, what, identity, hash, change };
    }),
  );
}
