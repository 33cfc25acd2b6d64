import { CodeExecutorError, type ContentBlock, type JsonObject } from '@code-executor/contracts';

import type { HostCallHandler } from './host-calls.js';

const maxPictures = 16;
/** Of one picture, and of all of a program, in bytes. */
const maxPictureBytes = 4 * 1024 * 1024;
const maxAllBytes = 16 * 1024 * 1024;
const mimeTypes = ['image/png', 'image/jpeg', 'image/gif', 'image/webp', 'image/svg+xml'];

/** Gathers the pictures that one program shows; they come in parts, one picture after the other. */
export class ShownPictures {
  readonly content: ContentBlock[] = [];
  #parts: Buffer[] = [];
  #partBytes = 0;
  #allBytes = 0;

  readonly handler: HostCallHandler = (params) => {
    this.#take(params);
    return Promise.resolve(null);
  };

  #take({ mimeType, part, isLast }: JsonObject): void {
    if (typeof mimeType !== 'string' || !mimeTypes.includes(mimeType) || typeof part !== 'string') {
      throw new CodeExecutorError('invalid_argument', `display() shows ${mimeTypes.join(', ')}.`);
    }
    if (this.content.length >= maxPictures) {
      throw new CodeExecutorError('resource_exhausted', `A program shows at most ${maxPictures} pictures.`);
    }
    const bytes = Buffer.from(part, 'base64');
    this.#partBytes += bytes.length;
    this.#allBytes += bytes.length;
    if (this.#partBytes > maxPictureBytes || this.#allBytes > maxAllBytes) {
      this.#drop();
      throw new CodeExecutorError(
        'resource_exhausted',
        `A picture has at most ${maxPictureBytes / 1024 / 1024} MB, all of a program together ${maxAllBytes / 1024 / 1024} MB; show smaller ones.`,
      );
    }
    this.#parts.push(bytes);
    if (isLast !== true) return;
    this.content.push({ type: 'image', mimeType, data: Buffer.concat(this.#parts).toString('base64') });
    this.#parts = [];
    this.#partBytes = 0;
  }

  #drop(): void {
    this.#allBytes -= this.#partBytes;
    this.#parts = [];
    this.#partBytes = 0;
  }
}
