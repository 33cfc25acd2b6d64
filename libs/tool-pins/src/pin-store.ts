import { stat } from 'node:fs/promises';
import { dirname } from 'node:path';

import { CodeExecutorError, type Logger } from '@code-executor/contracts';
import { makePrivateFolder, readRegularFile, rewriteFile } from '@code-executor/files';

import { type Pins, see, type Sight, type Sighting } from './pins.js';
import { fileName, fromText, maxFileBytes, toText } from './pins-text.js';

/** Tools that are seen within this time are written together. */
const gatherMs = 100;
/** How often the file is looked at, so that an approval by another process is noticed. */
const checkMs = 1000;
/** How long writing pauses after it has failed. */
const pauseMs = 10_000;
/** After a write, the next one waits for so many times its duration. */
const restFactor = 5;

export interface PinStoreOptions {
  /** Default: memory only. */
  file?: string | undefined;
  logger: Logger;
  /** Gets what seeing tools did, once it is on disk. */
  onSeen: (sight: Sight, sighting: Sighting) => void;
}

/** The pins in memory, and in a file that several processes share. What the file has counts. */
export class PinStore {
  readonly #options: PinStoreOptions;
  #pins: Pins = new Map();
  #version = 0;
  #loading: Promise<void> | undefined;
  #isLoaded = false;
  /** The state of the file whose pins are in memory. */
  #signature = '';
  #hasFile = false;
  #checkedAt = -Infinity;
  /** By the identity of the server and the name of the tool. */
  readonly #unwritten = new Map<string, Sight>();
  #timer: NodeJS.Timeout | undefined;
  #writing: Promise<void> = Promise.resolve();
  #pausedUntil = -Infinity;
  /** A large file is written less often. */
  #restsUntil = -Infinity;
  #problem: string | undefined;

  constructor(options: PinStoreOptions) {
    this.#options = options;
  }

  get pins(): Pins {
    return this.#pins;
  }

  /** Grows with each change of the pins that did not come from {@link see}. */
  get version(): number {
    return this.#version;
  }

  /** Why the file cannot be read or written. */
  get problem(): string | undefined {
    return this.#problem;
  }

  /** Whether the pins were read, so that a tool without a pin is new. */
  get isUsable(): boolean {
    return this.#isLoaded;
  }

  /** Reads the file, or reads it again if it has changed. Looks at it once a second at most, except `now`. */
  async load({ now = false }: { now?: boolean } = {}): Promise<void> {
    if (!this.#loading && !now && performance.now() - this.#checkedAt < checkMs) return;
    await (this.#loading ??= this.#read().finally(() => (this.#loading = undefined)));
  }

  /** Compares a tool with its pin, and pins it if it has none: in memory at once, in the file in the background. */
  see(sight: Sight): Sighting {
    const sighting = see(this.#pins, sight);
    if (this.#options.file === undefined) this.#options.onSeen(sight, sighting);
    else if (sighting !== 'same' && sighting !== 'known' && sighting !== 'full') this.#enqueue(sight);
    return sighting;
  }

  /** Writes what is not written yet. */
  async close(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (this.#unwritten.size > 0 && performance.now() >= this.#pausedUntil) this.#write();
    // A process that ends during a write would leave its lock behind.
    await this.#writing;
  }

  async #read(): Promise<void> {
    const { file } = this.#options;
    this.#checkedAt = performance.now();
    if (file === undefined) {
      this.#isLoaded = true;
      return;
    }
    const signature = await signatureOf(file);
    if (this.#isLoaded && signature === this.#signature) return;
    try {
      const found = await readRegularFile(file, { maxBytes: maxFileBytes, writableBy: 'operator' });
      // A file that disappears is no reason to trust what the servers list now: it is written again.
      if (!found && this.#hasFile) this.#writeSoon();
      else this.#use(fromText(found?.text()), signature);
    } catch (error) {
      this.#fail(error, 'The pins of tools cannot be read.');
    }
  }

  /** Takes the pins of the file; what was seen since and is not written yet is seen again. */
  #use(pins: Pins, signature: string): void {
    for (const sight of this.#unwritten.values()) see(pins, sight);
    this.#pins = pins;
    this.#signature = signature;
    this.#hasFile = signature !== '';
    this.#isLoaded = true;
    this.#version++;
    this.#problem = undefined;
  }

  #enqueue(sight: Sight): void {
    this.#unwritten.set(`${sight.identity}\n${sight.tool}`, sight);
    this.#writeSoon();
  }

  #writeSoon(): void {
    const pauseLeft = Math.max(0, Math.max(this.#pausedUntil, this.#restsUntil) - performance.now());
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      this.#write();
    }, gatherMs + pauseLeft).unref();
  }

  #write(): void {
    this.#writing = this.#writing.then(() => this.#save());
  }

  async #save(): Promise<void> {
    const { file, onSeen } = this.#options;
    if (file === undefined) return;
    const sights = [...this.#unwritten];
    const begunAt = performance.now();
    let pins: Pins = new Map();
    let sightings: Sighting[] = [];
    try {
      await makePrivateFolder(dirname(file));
      await rewriteFile(file, { maxBytes: maxFileBytes }, (text) => {
        pins = fromText(text ?? (this.#hasFile ? toText(this.#pins) : undefined));
        sightings = sights.map(([, sight]) => see(pins, sight));
        return toText(pins);
      });
    } catch (error) {
      // They stay in memory, and the next tool that is seen tries again.
      this.#pausedUntil = performance.now() + pauseMs;
      this.#fail(error, 'The pins of tools cannot be written.');
      return;
    }
    this.#restsUntil = performance.now() + restFactor * (performance.now() - begunAt);
    for (const [key, sight] of sights) {
      if (this.#unwritten.get(key) === sight) this.#unwritten.delete(key);
    }
    this.#use(pins, await signatureOf(file));
    for (const [index, [, sight]] of sights.entries()) onSeen(sight, sightings[index] ?? 'same');
  }

  #fail(error: unknown, what: string): void {
    const { message } = CodeExecutorError.from(error);
    // The model reads this, too, and need not know where the home folder is.
    const reason = message.replaceAll(this.#options.file ?? '', fileName);
    if (this.#problem !== reason) this.#options.logger.warn({ err: error }, what);
    this.#problem = reason;
  }
}

/** Changes whenever the file is replaced. */
async function signatureOf(file: string): Promise<string> {
  const found = await stat(file, { bigint: true }).catch(() => undefined);
  return found ? `${found.dev}:${found.ino}:${found.size}:${found.mtimeNs}` : '';
}
