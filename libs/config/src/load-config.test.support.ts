import { createHash } from 'node:crypto';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { CodeExecutorError } from '@code-executor/contracts';
import { afterEach, beforeEach } from '@jest/globals';
import { loadConfig, type LoadConfigOptions } from './load-config.js';

export let root: string;
export let cwd: string;
export let home: string;
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'config-'));
  cwd = join(root, 'project');
  home = join(root, 'home');
  await Promise.all([mkdir(cwd), mkdir(home)]);
});
afterEach(() => rm(root, { recursive: true, force: true }));

export const hashOf = (token: string) => `sha256:${createHash('sha256').update(token).digest('hex')}`;
export const write = async (path: string, content: unknown) => {
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, typeof content === 'string' ? content : JSON.stringify(content));
};
export const own = (content: unknown) => write(join(home, '.code-executor.json'), content);
export const load = (options: LoadConfigOptions = {}) => loadConfig({ cwd, home, env: {}, ...options });
export const failure = async (options?: LoadConfigOptions) => {
  const reason: unknown = await load(options).catch((error: unknown) => error);
  if (!CodeExecutorError.is(reason)) throw new Error('expected a CodeExecutorError', { cause: reason });
  return reason;
};
