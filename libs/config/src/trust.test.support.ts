import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach } from '@jest/globals';
import { findServers } from './find-servers.js';
import { loadConfig } from './load-config.js';
import { readProject, trustFiles } from './project-request.js';

export let root: string;
export let cwd: string;
export let home: string;
export let store: string;
beforeEach(async () => {
  root = await realpath(await mkdtemp(join(tmpdir(), 'trust-')));
  [cwd, home] = [join(root, 'project'), join(root, 'home')];
  store = join(home, '.code-executor', 'trusted-projects.json');
  await Promise.all([mkdir(cwd), mkdir(home)]);
});
afterEach(() => rm(root, { recursive: true, force: true }));

export const write = async (path: string, content: unknown) => {
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, typeof content === 'string' ? content : JSON.stringify(content));
};
export const servers = (content: object) => write(join(cwd, '.mcp.json'), { mcpServers: content });
export const config = (content: object) => write(join(cwd, '.code-executor.json'), content);
export const own = (content: object) => write(join(home, '.code-executor.json'), content);
export const places = (env: NodeJS.ProcessEnv = {}) => ({ cwd, home, env });

/** What a server would start with. */
export async function found(env: NodeJS.ProcessEnv = {}) {
  const loaded = await loadConfig(places(env));
  const { config: settings, unusable, notTrusted } = loaded;
  const { servers, ...rest } = await findServers({ ...places(env), config: settings, unusable, notTrusted });
  const others = { ...settings };
  delete others.mcpServers;
  return {
    config: others,
    servers,
    unusable: rest.unusable,
    warnings: [...loaded.warnings, ...rest.warnings],
  };
}
export const trust = async (env: NodeJS.ProcessEnv = {}) =>
  trustFiles((await readProject(places(env))).files, places(env));

/** An environment that tells which of its variables are read. */
export function watched(values: NodeJS.ProcessEnv): { env: NodeJS.ProcessEnv; read: Set<string> } {
  const read = new Set<string>();
  const env = new Proxy(values, {
    get: (target, name) => (read.add(String(name)), target[String(name)]),
    getOwnPropertyDescriptor: (target, name) => (
      read.add(String(name)),
      Object.getOwnPropertyDescriptor(target, name)
    ),
  });
  return { env, read };
}

export const approval = 'The user can look at it and approve it there with `code-executor trust`.';

/** Makes another folder the working directory. */
export function workIn(folder: string): void {
  cwd = folder;
}
