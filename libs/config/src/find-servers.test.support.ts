import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach } from '@jest/globals';
import { findServers, type FindServersOptions } from './find-servers.js';

export let root: string;
export let cwd: string;
export let home: string;
export let projectFile: string;
export let userFile: string;
beforeEach(async () => {
  root = await realpath(await mkdtemp(join(tmpdir(), 'servers-')));
  [cwd, home] = [join(root, 'project'), join(root, 'home')];
  [projectFile, userFile] = [join(cwd, '.mcp.json'), join(home, '.claude.json')];
  await Promise.all([mkdir(cwd), mkdir(home)]);
});
afterEach(() => rm(root, { recursive: true, force: true }));

export const write = async (path: string, content: unknown) => {
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, typeof content === 'string' ? content : JSON.stringify(content));
};
export const project = (mcpServers: unknown) => write(projectFile, { mcpServers });
export const user = (mcpServers: unknown) => write(userFile, { numStartups: 5, projects: {}, mcpServers });
/** With the project trusted. */
export const find = async ({ env = {}, ...options }: FindServersOptions = {}) => {
  const trusting = { ...env, CODE_EXECUTOR_TRUST_PROJECT: '1' };
  const { servers, warnings } = await findServers({ cwd, home, env: trusting, ...options });
  return { servers, warnings };
};
