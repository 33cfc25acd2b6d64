import { randomBytes } from 'node:crypto';

import { FrameReader, maxFrameBytes } from './frame-reader.js';
import { readFrame, type SandboxFrame } from './sandbox-frame.js';

/** How a sandboxed process broke the rules for frames. */
export type FrameViolation = 'oversized_frame' | 'malformed_frame';

export interface SandboxOutputListener {
  /** `cost` is about how many bytes of memory the frame takes. */
  onFrame(frame: SandboxFrame, cost: number): void;
  /** Everything that is not a frame: what the program printed. */
  onText(text: string): void;
  onViolation(violation: FrameViolation): void;
}

/** What a sandboxed process writes: frames, and between them what its program prints. */
export class SandboxOutput {
  /** Marks the frames of this process, which gets the nonce in its first line of stdin. */
  readonly nonce = randomBytes(16).toString('hex');
  readonly #reader: FrameReader;

  constructor(listener: SandboxOutputListener) {
    this.#reader = new FrameReader(this.nonce, maxFrameBytes, {
      onText: (text) => listener.onText(text),
      onOversizedFrame: () => listener.onViolation('oversized_frame'),
      onFrame: (json, cost) => {
        const frame = readFrame(json);
        if (frame) listener.onFrame(frame, cost);
        else listener.onViolation('malformed_frame');
      },
    });
  }

  push(bytes: Buffer): void {
    this.#reader.push(bytes);
  }

  /** Ends the stream; an unfinished frame counts as text. */
  end(): void {
    this.#reader.end();
  }
}
