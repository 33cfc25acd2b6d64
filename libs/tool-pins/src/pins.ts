import { type ToolDefinition, hashesOf } from './definition.js';

/** What is known about one tool. */
export interface Pin {
  /** When it was pinned, as ISO 8601. */
  at: string;
  /** As it was seen first, or approved last. */
  pinned: ToolDefinition;
  /** As it was seen last, if that is something else. */
  change?: { at: string; seen: ToolDefinition };
}

/** The pins of one server: of one entry in the configuration under its name. */
export interface ServerPins {
  server: string;
  /** By the tools' full names. */
  tools: Map<string, Pin>;
  /** What the definitions that were added have of texts and names. */
  detailChars: number;
}

/** By the identity of each server. */
export type Pins = Map<string, ServerPins>;

/** A tool that was listed. */
export interface Sight {
  identity: string;
  server: string;
  tool: string;
  definition: ToolDefinition;
  /** As ISO 8601. */
  at: string;
}

/**
 * What seeing a tool did. `same`: it is as it was pinned. `known`: it differs, as it did when it was seen last.
 * `full`: it cannot be pinned because there are too many pins.
 */
export type Sighting = 'same' | 'reverted' | 'pinned' | 'changed' | 'known' | 'full';

const maxServers = 1000;
/** As many as a server may list. */
const maxTools = 10_000;
/** Former entries of one name that are kept, because projects may have entries of the same name. */
const maxSameName = 8;
/** Beyond this, further tools of a server are pinned by hashes only: their changes are found, but not shown in detail. */
const maxDetailChars = 512 * 1024;

/** Compares a tool with its pin, and pins it if it has none. */
export function see(pins: Pins, sight: Sight): Sighting {
  const { identity, tool, definition, at } = sight;
  const of = pins.get(identity);
  const pin = of?.tools.get(tool);
  if (!of || !pin) return pinFirst(pins, sight);
  if (pin.pinned.hash === definition.hash) {
    if (!pin.change) return 'same';
    delete pin.change;
    return 'reverted';
  }
  if (pin.change?.seen.hash === definition.hash) return 'known';
  pin.change = { at, seen: bounded(definition, of) };
  return 'changed';
}

/** Pins the tool as it was shown; false if there is no such change any more. */
export function approve(
  pins: Pins,
  { identity, tool, hash, at }: { identity: string; tool: string; hash: string; at: string },
): boolean {
  const pin = pins.get(identity)?.tools.get(tool);
  if (pin?.change?.seen.hash !== hash) return false;
  pin.pinned = pin.change.seen;
  pin.at = at;
  delete pin.change;
  return true;
}

/** Removes all pins of the servers of this name; the number of tools. */
export function forget(pins: Pins, server: string): number {
  let count = 0;
  for (const [identity, of] of pins) {
    if (of.server !== server) continue;
    count += of.tools.size;
    pins.delete(identity);
  }
  return count;
}

function pinFirst(pins: Pins, { identity, server, tool, definition, at }: Sight): Sighting {
  const former = formerPin(pins, server, tool, definition.hash);
  const of = pins.get(identity) ?? addServer(pins, identity, server);
  if (!of || of.tools.size >= maxTools) return 'full';
  const seen = bounded(definition, of);
  if (former === undefined || former.pinned.hash === definition.hash) {
    of.tools.set(tool, { at, pinned: seen });
    return 'pinned';
  }
  of.tools.set(tool, { at: former.at, pinned: former.pinned, change: { at, seen } });
  return 'changed';
}

/**
 * The pin of the tool at another entry of the same name: one that is the same if there is one, or else the newest. An
 * entry that was changed, for example for a new version of the server, thus does not make its tools new.
 */
function formerPin(pins: Pins, server: string, tool: string, hash: string): Pin | undefined {
  const others = [...pins.values()].flatMap((of) => (of.server === server ? (of.tools.get(tool) ?? []) : []));
  const newest = others.reduce<Pin | undefined>((a, b) => (a && a.at > b.at ? a : b), undefined);
  return others.find((pin) => pin.pinned.hash === hash) ?? newest;
}

/** Undefined if there are too many servers. */
function addServer(pins: Pins, identity: string, server: string): ServerPins | undefined {
  const sameName = [...pins].filter(([, of]) => of.server === server);
  if (sameName.length >= maxSameName && sameName[0]) pins.delete(sameName[0][0]);
  if (pins.size >= maxServers) return undefined;
  const of: ServerPins = { server, tools: new Map(), detailChars: 0 };
  pins.set(identity, of);
  return of;
}

function bounded(definition: ToolDefinition, of: ServerPins): ToolDefinition {
  if (of.detailChars >= maxDetailChars) return hashesOf(definition);
  of.detailChars += detailChars(definition);
  return definition;
}

/** The room that the details of a definition take. */
export function detailChars({ title, description, annotations, parameters }: ToolDefinition): number {
  return JSON.stringify([title, description, annotations, parameters]).length;
}
