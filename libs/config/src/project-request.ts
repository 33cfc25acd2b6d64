import { resolve } from 'node:path';

import { CodeExecutorError } from '@code-executor/contracts';

import { configPlaces, homeDirectory } from './config-file.js';
import { dotted } from './key-path.js';
import { type LoadConfigOptions, readOwn, readSuggested, setKeys } from './load-config.js';
import { narrowConfig } from './narrow-config.js';
import { type ProjectFile, ProjectTrust, type TrustOptions, withoutText } from './project-file.js';
import { readEntry } from './read-entry.js';
import { isWithin, realPathOf } from './real-path.js';
import { unread } from './references.js';
import type { Config } from './schema.js';
import type { ServerDefinition } from './server-definitions.js';
import { foreignServerEntry } from './server-entry.js';
import { projectServerFile, suggestedServers, userServerNames } from './server-files.js';
import { waitingServers } from './suggestions.js';
import { changeTrusted, readTrusted } from './trust-store.js';

/** A server that a project would have started or connected. Texts are as they stand in the file. */
export interface RequestedServer {
  name: string;
  /** The file that defines it. */
  path: string;
  /** What would run, word by word; absent for a remote server. */
  command?: string[];
  /** The folder in which it would run, unless that is the working directory. */
  cwd?: string;
  /** What would be connected. */
  url?: string;
  /** Names of the HTTP headers that are sent. */
  headers: string[];
  /** The variables that it gets beside a few harmless ones: `NAME=text`. */
  environment: string[];
  /** Variables of your environment whose values it would learn. */
  reads: string[];
  /** Whether it would replace a server of yours with the same name. */
  replaces: boolean;
  /** Why it cannot be used as it is. */
  problem?: string;
}

/** A key of the configuration that a project would set. */
export interface RequestedSetting {
  key: string;
  value: unknown;
  /** Whether it would allow more than you do, and is cut down to that. */
  isCut: boolean;
}

/** Everything that approving a working directory would change. */
export interface ProjectRequest {
  /** The working directory, absolute and without links. */
  folder: string;
  /** The files to approve. An approval is for exactly these contents. */
  files: ProjectFile[];
  servers: RequestedServer[];
  settings: RequestedSetting[];
  /** Why a file cannot be approved. */
  problems: string[];
}

/** Reads what a working directory asks for; starts nothing, reads no variable and changes nothing. */
export async function readProject(options: LoadConfigOptions = {}): Promise<ProjectRequest> {
  const { cwd = process.cwd(), home = homeDirectory(), env = process.env, file, trusted } = options;
  const search = { cwd, home, env, file };
  const trust = await ProjectTrust.load({ cwd, home, env, ...(trusted && { trusted }) });
  const problems: string[] = [];
  const read = async (path: string) => {
    try {
      return await trust.read(path);
    } catch (error) {
      problems.push(CodeExecutorError.from(error).message);
      return undefined;
    }
  };
  const { content: own } = await readOwn(search);
  const { project } = await configPlaces(search);
  const configFile = project === undefined ? undefined : await read(project);
  const config = configFile && readSuggested(configFile, unread);
  if (config && config.problems.count > 0) {
    problems.push(config.problems.report(`Configuration file ${configFile.path}`));
  }
  const serverFile = await read(projectServerFile(own.config, cwd));
  const note = (warning: string) => void problems.push(warning);
  const definitions = [...(serverFile ? suggestedServers(serverFile, note) : []), ...(config?.servers ?? [])];

  const ownNames = new Set([...own.servers.map(({ name }) => name), ...(await userServerNames(home))]);
  return {
    folder: await realPathOf(resolve(cwd)),
    files: [configFile, serverFile].flatMap((file) => (file ? [withoutText(file)] : [])),
    servers: (await waitingServers(definitions)).map((each) => requested(each, ownNames.has(each.name))),
    settings: config ? requestedSettings(own.config, config.config) : [],
    problems,
  };
}

/** Remembers that these contents are approved; rejects with `failed_precondition` if that cannot be written. */
export async function trustFiles(
  files: readonly Pick<ProjectFile, 'path' | 'sha256'>[],
  options: TrustOptions = {},
): Promise<void> {
  await changeTrusted((trusted) => {
    for (const { path, sha256 } of files) trusted.set(path, sha256);
  }, searchOf(options));
}

/** Forgets all approvals of files in this folder; resolves with their paths. */
export async function distrustFolder(folder: string, options: TrustOptions = {}): Promise<string[]> {
  const real = await realPathOf(resolve(folder));
  const search = searchOf(options);
  const forgotten = [...(await readTrusted(search)).keys()].filter((path) => isWithin(path, real));
  if (forgotten.length === 0) return [];
  await changeTrusted((trusted) => {
    for (const path of forgotten) trusted.delete(path);
  }, search);
  return forgotten;
}

/** What is approved: SHA-256 by path. */
export async function trustedFiles(options: TrustOptions = {}): Promise<ReadonlyMap<string, string>> {
  return readTrusted(searchOf(options));
}

function searchOf({ cwd = process.cwd(), home = homeDirectory(), env = process.env }: TrustOptions) {
  return { cwd, home, env };
}

function requested(definition: ServerDefinition, replaces: boolean): RequestedServer {
  const { name, value, file, path } = definition;
  const reads = new Set<string>();
  const lookUp = (variable: string) => {
    reads.add(variable);
    return 'x';
  };
  const read = readEntry(value, { path, lookUp, warn: () => undefined });
  // An entry with variables can be judged only once they are read.
  const problem = 'why' in read && reads.size === 0 ? read.why : undefined;
  const { data = {} } = foreignServerEntry.safeParse(value);
  return {
    name,
    path: file.path,
    ...(data.command !== undefined && { command: [data.command, ...(data.args ?? [])] }),
    ...(data.cwd !== undefined && { cwd: data.cwd }),
    ...(data.url !== undefined && { url: data.url }),
    headers: Object.keys(data.headers ?? {}),
    environment: Object.entries(data.env ?? {}).map(([variable, text]) => `${variable}=${text}`),
    reads: [...reads],
    replaces,
    ...(problem !== undefined && { problem }),
  };
}

function requestedSettings(own: Config, wish: Config): RequestedSetting[] {
  const { cut } = narrowConfig(own, wish);
  return [...setKeys(wish)].map(({ path, value }) => {
    const key = dotted(path);
    return { key, value, isCut: cut.some((place) => key === place || key.startsWith(`${place}.`)) };
  });
}
