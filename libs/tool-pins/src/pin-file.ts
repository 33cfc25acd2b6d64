import { readRegularFile, rewriteFile } from '@code-executor/files';

import { listChanges, type PendingChange } from './list-changes.js';
import { approve, forget, type Pins } from './pins.js';
import { fromText, maxFileBytes, toText } from './pins-text.js';

/** The pins of one server, as a person sees them. */
export interface PinnedServer {
  server: string;
  identity: string;
  tools: { tool: string; pinnedAt: string; isChanged: boolean }[];
}

/** All pins in a file; none if there is no file. Rejects with `failed_precondition` if it cannot be used. */
export async function readPins(file: string): Promise<PinnedServer[]> {
  return [...(await read(file))].map(([identity, { server, tools }]) => ({
    server,
    identity,
    tools: [...tools].map(([tool, { at, change }]) => ({
      tool,
      pinnedAt: at,
      isChanged: change !== undefined,
    })),
  }));
}

/** The changes in a file that are not approved. Rejects as {@link readPins}. */
export async function readChanges(file: string): Promise<PendingChange[]> {
  return listChanges(await read(file));
}

/**
 * Pins these tools as they are in the changes. Resolves with those that were approved: a tool that has changed again
 * meanwhile is not. Running servers notice within a second.
 */
export async function approveChanges(
  file: string,
  changes: readonly PendingChange[],
): Promise<PendingChange[]> {
  const at = new Date().toISOString();
  let approved: PendingChange[] = [];
  await rewrite(file, (pins) => (approved = changes.filter((change) => approve(pins, { ...change, at }))));
  return approved;
}

/** Removes all pins of a server, whose tools are pinned anew when they are seen; resolves with their number. */
export async function forgetServer(file: string, server: string): Promise<number> {
  let count = 0;
  await rewrite(file, (pins) => (count = forget(pins, server)));
  return count;
}

async function read(file: string): Promise<Pins> {
  const found = await readRegularFile(file, { maxBytes: maxFileBytes, writableBy: 'operator' });
  return fromText(found?.text());
}

async function rewrite(file: string, change: (pins: Pins) => void): Promise<void> {
  await rewriteFile(file, { maxBytes: maxFileBytes }, (text) => {
    const pins = fromText(text);
    change(pins);
    return toText(pins);
  });
}
