import {
  type GrantedPermissions,
  HostPattern,
  type Logger,
  type Permissions,
  silentLogger,
} from '@code-executor/contracts';

import { type OpenGrant, PathCeiling, type PathKind, Refusal } from './path-ceiling.js';

/** The most that any execution may be granted beyond its tools. Everything defaults to nothing. */
export interface ExecutionGrants {
  /** Folders and files that may be read. */
  allowRead?: readonly string[];
  /** Folders and files that may be read and written; `true`: all that the server's own user may write. */
  allowWrite?: boolean | readonly string[];
  /** Hosts that may be reached, as a {@link HostPattern}, or `*` for all, `*:8443` on that port. */
  allowNetwork?: readonly string[];
  /**
   * Files and folders that are never granted, whether they exist yet or not: your own configuration, for example.
   * They are hidden in folders that may be read, and no folder that contains one may be written.
   */
  withheld?: readonly string[];
}

/** The part of the requested permissions that is granted. */
export interface CutPermissions {
  permissions: GrantedPermissions;
  /** One line for each permission that was not granted as requested. */
  notes: string[];
  /** Closes what was opened; the permissions can no longer be used. */
  readonly release: () => Promise<void>;
}

/** The limit for each kind, because each path is an open descriptor. */
const maxPaths = 50;

/**
 * Cuts the permissions that a caller asks for down to what the server grants. The files and folders of the
 * configuration are opened when this is made, and stay the same: a grant is opened beneath them and follows no link.
 */
export class PermissionCeiling {
  readonly #paths: PathCeiling;
  readonly #hosts: readonly HostPattern[];

  constructor(
    { allowRead = [], allowWrite = false, allowNetwork = [], withheld = [] }: ExecutionGrants = {},
    logger: Logger = silentLogger,
  ) {
    this.#hosts = allowNetwork.flatMap((entry) => HostPattern.parseCeiling(entry) ?? []);
    this.#paths = new PathCeiling({
      allowRead,
      allowWrite: allowWrite === true ? ['/'] : allowWrite || [],
      withheld,
      warn: (problem) => logger.warn({}, problem),
    });
  }

  async cut({ read, write, net }: Permissions): Promise<CutPermissions> {
    const opened: OpenGrant[] = [];
    const notes: string[] = [];
    const grant = async (kind: PathKind, paths: readonly string[]) => {
      const granted = new Map<string, OpenGrant>();
      for (const path of new Set(paths)) {
        const outcome =
          granted.size < maxPaths
            ? await this.#paths.open(kind, path)
            : new Refusal(`is one of more than ${maxPaths} paths`);
        if (outcome instanceof Refusal) notes.push(noteOf(kind, path, outcome));
        else {
          opened.push(outcome);
          granted.set(outcome.path, outcome);
        }
      }
      return [...granted.values()];
    };
    return {
      permissions: {
        read: await grant('read', read),
        write: await grant('write', write),
        net: net.filter((host) => {
          const asked = HostPattern.parse(host);
          const isGranted = this.#hosts.some((ceiling) => asked?.isWithin(ceiling));
          if (!isGranted) notes.push(noteOf('net', host, new Refusal('is outside security.allowNetwork')));
          return isGranted;
        }),
      },
      notes,
      release: async () => {
        await Promise.all(opened.map(({ handle }) => handle.close()));
      },
    };
  }

  /** Closes the files and folders of the configuration. */
  close(): void {
    this.#paths.close();
  }
}

function noteOf(kind: keyof Permissions, entry: string, { reason, advice }: Refusal): string {
  const what = JSON.stringify(entry.length > 200 ? `${entry.slice(0, 200)}…` : entry);
  return `permissions.${kind} ${what} ${reason} and was not granted${advice === undefined ? '' : `; ${advice}`}.`;
}
