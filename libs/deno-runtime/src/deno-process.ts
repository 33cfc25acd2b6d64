import type { OutputChunk } from '@code-executor/contracts';
import { IsolatedProcess } from '@code-executor/isolation';
import { type FrameViolation, type SandboxFrame, SandboxOutput } from '@code-executor/sandbox-channel';

import type { DenoCommand } from './deno-command.js';

export interface DenoProcessOptions {
  /** How many bytes the process may write in total; one that writes more is ended. */
  maxOutputBytes: number;
  /** Whether the process warms up before it is ready, because its program comes later. Default false. */
  isSpare?: boolean;
  /** Names of host calls that become globals of the process, by the names of the globals. Default: none. */
  hostCalls?: Readonly<Record<string, string>>;
}

/** How a process broke the rules of its pipe. */
export type ProtocolViolation = FrameViolation | 'too_much_output';

export interface DenoProcessListener {
  /** `cost` is about how many bytes of memory the frame takes. */
  onFrame?(frame: SandboxFrame, cost: number): void;
  onOutput?(chunk: OutputChunk): void;
  onViolation?(violation: ProtocolViolation): void;
}

/** A running Deno process behind walls, and its pipe: frames and printed text come out, replies go in. */
export class DenoProcess extends IsolatedProcess {
  /**
   * Resolves with true once the process waits for its program, or with false if it ends before that. Only a ready
   * process is sure to end with the server, so send the program only then: no program may outlive a killed server.
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

  /** Replaces the listener. Whatever arrives before the first listener is dropped. */
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
          // Only the first one counts: it comes from the bootstrap, later ones from the program.
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
