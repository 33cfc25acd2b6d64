import { realpath } from 'node:fs/promises';
import { isAbsolute, relative, resolve, sep } from 'node:path';

import type { Permissions } from '@code-executor/contracts';

/** The most that any execution may be granted beyond its tools. Everything defaults to nothing. */
export interface ExecutionGrants {
  /** Folders and files that may be read. */
  allowRead?: readonly string[];
  /** Folders and files that may be read and written; `true`: all that the server's own user may. */
  allowWrite?: boolean | readonly string[];
  /** Hosts that may be reached: `api.example.com`, `*.example.com`, `*`; other ports by name, `host:8443`. */
  allowNetwork?: readonly string[];
}

/** What is left of the permissions that were asked for. */
export interface EffectivePermissions {
  permissions: Permissions;
  /** One line for each thing that was not granted as asked. */
  notes: string[];
}

/**
 * Cuts down what a caller asks for to what the server grants. Paths are granted as what they really
 * are: with `..` and links resolved, so that no link leads out of a granted folder.
 */
export async function effectivePermissions(
  { read, write, net }: Permissions,
  { allowRead = [], allowWrite = false, allowNetwork = [] }: ExecutionGrants = {},
): Promise<EffectivePermissions> {
  const notes: string[] = [];
  const writable = allowWrite === true || (await realPaths(allowWrite || []));
  // Who may write a file may read it: a grant to write includes reading.
  const readable = writable === true || [...(await realPaths(allowRead)), ...writable];
  return {
    permissions: {
      read: await grantPaths(read, readable, 'read', 'security.allowRead', notes),
      write: await grantPaths(write, writable, 'write', 'security.allowWrite', notes),
      net: net.filter((host) => {
        const isGranted = allowNetwork.some((pattern) => matchesHost(pattern, host));
        if (!isGranted) notes.push(refusal('net', host, 'is outside security.allowNetwork'));
        return isGranted;
      }),
    },
    notes,
  };
}

/** Folders that limit a grant, `true` for no limit. */
type Ceiling = true | readonly string[];

function realPaths(paths: readonly string[]): Promise<string[]> {
  // What does not exist yet cannot be a link either.
  return Promise.all(paths.map((path) => realpath(path).catch(() => resolve(path))));
}

async function grantPaths(
  paths: readonly string[],
  ceiling: Ceiling,
  kind: 'read' | 'write',
  setting: string,
  notes: string[],
): Promise<string[]> {
  const isWithin = (path: string) => ceiling === true || ceiling.some((folder) => isInside(path, folder));
  const granted = new Set<string>();
  for (const path of paths) {
    const named = resolve(path);
    const real = await realpath(named).catch(() => undefined);
    // Whether something exists outside of the ceiling is not for the caller to know.
    if (real === undefined && isWithin(named)) {
      notes.push(refusal(kind, path, 'does not exist'));
    } else if (real === undefined || !isWithin(real)) {
      notes.push(refusal(kind, path, `is outside ${setting}`));
    } else {
      if (real !== named) notes.push(`permissions.${kind} ${quote(path)} was granted as ${quote(real)}.`);
      granted.add(real);
    }
  }
  return [...granted];
}

/** By path components: `/data-old` is not inside `/data`. */
function isInside(path: string, folder: string): boolean {
  const way = relative(folder, path);
  return way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way);
}

function matchesHost(pattern: string, host: string): boolean {
  const [allowed, asked] = [splitHost(pattern), splitHost(host)];
  // Without a port, a host means the scheme's own: others may be other services.
  if (allowed.port !== asked.port) return false;
  if (allowed.name === '*') return true;
  return allowed.name.startsWith('*.')
    ? asked.name.endsWith(allowed.name.slice(1)) && asked.name.length >= allowed.name.length
    : asked.name === allowed.name;
}

/** `name` and `port` of `host`, `host:port`, `[v6]` or `[v6]:port`. */
function splitHost(text: string): { name: string; port: string | undefined } {
  const [, name = text, port] = /^(.*?)(?::(\d+))?$/u.exec(text) ?? [];
  return { name: name.toLowerCase(), port };
}

function refusal(kind: keyof Permissions, entry: string, reason: string): string {
  return `permissions.${kind} ${quote(entry)} ${reason} and was not granted.`;
}

function quote(text: string): string {
  return JSON.stringify(text.length > 200 ? `${text.slice(0, 200)}…` : text);
}
