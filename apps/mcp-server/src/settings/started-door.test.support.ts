import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

import { bin, createHome, environmentOf, removeHome, until } from '../started-server.test.support.js';

/** What an HTTP door answered. */
export interface Answer {
  status: number;
  retryAfter: string | null;
  body: unknown;
}

/** The built server with `--http`, in a home of its own. */
export class StartedDoor {
  private constructor(
    readonly home: string,
    /** Where it says that it listens. */
    readonly url: string,
    /** What it says on stderr. */
    readonly stderr: () => string,
    readonly close: () => Promise<void>,
  ) {}

  static async start(files: Record<string, string>, env: Record<string, string>): Promise<StartedDoor> {
    const home = await createHome(files);
    const child = spawn(process.execPath, [bin, '--http'], { cwd: home, env: environmentOf(home, env) });
    let stderr = '';
    child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString()));
    const ended = once(child, 'close');
    const close = async () => {
      child.kill('SIGKILL');
      await ended;
      await removeHome(home);
    };
    const url = () => /listening on (http:\/\/[^,]+),/.exec(stderr)?.[1];
    await until(() => url() !== undefined || child.exitCode !== null);
    const found = url();
    if (found !== undefined) return new StartedDoor(home, found, () => stderr, close);
    await close();
    throw new Error(stderr);
  }

  /** The token that the server made for itself. */
  async token(): Promise<string> {
    return (await readFile(join(this.home, '.code-executor', 'http-token'), 'utf8')).trim();
  }

  call(token: string, toolName: string, params: object = {}): Promise<Answer> {
    return this.ask('/', token, { method: 'POST', body: JSON.stringify({ toolName, params }) });
  }

  list(token: string): Promise<Answer> {
    return this.ask('/mcp/tools', token);
  }

  async ask(path: string, token: string, init: RequestInit = {}): Promise<Answer> {
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
    const answer = await fetch(this.url + path, { ...init, headers });
    const text = await answer.text();
    const isJson = answer.headers.get('content-type')?.includes('json') === true;
    const body: unknown = isJson ? JSON.parse(text) : text;
    return { status: answer.status, retryAfter: answer.headers.get('retry-after'), body };
  }
}

/** What a configuration has of a token. */
export function tokenHash(token: string): string {
  return `sha256:${createHash('sha256').update(token).digest('hex')}`;
}
