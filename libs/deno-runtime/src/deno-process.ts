import type { OutputChunk } from '@code-executor/contracts';
import { IsolatedProcess } from '@code-executor/isolation';
import { type FrameViolation, type SandboxFrame, SandboxOutput } from '@code-executor/sandbox-channel';

import type { DenoCommand } from './deno-command.js';

export interface DenoProcessOptions {
  /** Everything that the process may write in its life, in bytes; more ends it. */
  maxOutputBytes: number;
  /** The process warms up before it is ready, because its program comes later. Default false. */
  isSpare?: boolean;
  /** Names of host calls that the process makes globals, by the names of those. Default: none. */
  hostCalls?: Readonly<Record<string, string>>;
}

/** Limits of the pipe, by the name of what was exceeded. */
export type ProtocolViolation = FrameViolation | 'too_much_output';

export interface DenoProcessListener {
  /** `cost` is what the frame takes in memory, about. */
  onFrame?(frame: SandboxFrame, cost: number): void;
  onOutput?(chunk: OutputChunk): void;
  onViolation?(violation: ProtocolViolation): void;
}

/** A running Deno process behind walls, and its pipe: frames and printed text out, replies in. */
export class DenoProcess extends IsolatedProcess {
  /**
   * Whether it got as far as to take a program. Only then it is bound to the server's life, so only
   * then it may get one: a server that is killed while a process starts leaves none behind.
   */
  readonly ready: Promise<boolean>;
  #listener: DenoProcessListener = {};
  #setReady: (() => void) | undefined;

  constructor(command: DenoCommand, options: DenoProcessOptions) {
    super(command, options.maxOutputBytes);
    this.ready = new Promise((resolve) => {
      this.#setReady = () => {
        command.onReady?.();
        resolve(true);
      };
      void this.exit.then(() => resolve(false));
    });
    const stdout = this.#framesAndText();
    this.read({
      stdout,
      stderr: this.#errorText(),
      onTooMuch: () => this.#listener.onViolation?.('too_much_output'),
    });
    const { ownFiles } = command;
    const { isSpare = false, hostCalls = {} } = options;
    const start = { nonce: stdout.nonce, isSpare, ownFiles, hostCalls };
    void this.send(`${JSON.stringify(start)}\n`);
  }

  /** Replaces the listener; what arrives before there is one is dropped. */
  listen(listener: DenoProcessListener): void {
    this.#listener = listener;
  }

  /** Frames and printed text share stdout. */
  #framesAndText(): SandboxOutput {
    return new SandboxOutput({
      onText: (text) => this.#listener.onOutput?.({ stream: 'stdout', text }),
      onViolation: (violation) => {
        void this.kill(0);
        this.#listener.onViolation?.(violation);
      },
      onFrame: (frame, cost) => {
        if (frame.type === 'ready' && this.#setReady) {
          this.#setReady();
          // Once: only the bootstrap says it first.
          this.#setReady = undefined;
        } else this.#listener.onFrame?.(frame, cost);
      },
    });
  }

  #errorText() {
    const decoder = new TextDecoder();
    const tell = (text: string) => text && this.#listener.onOutput?.({ stream: 'stderr', text });
    return {
      push: (bytes: Buffer) => tell(decoder.decode(bytes, { stream: true })),
      end: () => tell(decoder.decode()),
    };
  }
}
