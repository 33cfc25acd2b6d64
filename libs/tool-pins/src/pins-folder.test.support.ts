import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import type { PinningEvent, ToolSchema } from '@code-executor/contracts';
import { afterEach, beforeEach } from '@jest/globals';

import type { ChangingSource } from './changing-source.test.support.js';
import { PinnedTools, type PinnedToolsOptions } from './index.js';

/** A folder for the pins of each test of a file, and what happens to them. */
export class PinsFolder {
  path = '';
  events: PinningEvent[] = [];
  readonly #opened: PinnedTools[] = [];

  constructor() {
    beforeEach(async () => {
      this.path = await mkdtemp(join(tmpdir(), 'tool-pins-'));
      this.events = [];
    });
    afterEach(async () => {
      await Promise.all(this.#opened.splice(0).map((pins) => pins.close()));
      await rm(this.path, { recursive: true });
    });
  }

  get file(): string {
    return join(this.path, 'home', 'pinned-tools.json');
  }

  open(source: ChangingSource, options: Partial<PinnedToolsOptions> = {}): PinnedTools {
    const pins = new PinnedTools({
      source,
      file: this.file,
      policy: 'report',
      identityOf: (server) => `${server}#1`,
      audit: (event) => void this.events.push(event),
      ...options,
    });
    this.#opened.push(pins);
    return pins;
  }

  /** Pins what the source lists now, as an earlier process. */
  async pin(source: ChangingSource, options: Partial<PinnedToolsOptions> = {}): Promise<void> {
    const pins = this.open(source, options);
    await listed(pins);
    await pins.close();
  }
}

export async function listed(pins: PinnedTools): Promise<ToolSchema[]> {
  return (await pins.listTools()).tools;
}

/** The day on which the tests pin. */
export const today = new Date().toISOString().slice(0, 10);
