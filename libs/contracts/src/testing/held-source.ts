import type { JsonObject } from '../json.js';
import type { CallOptions, ToolName, ToolSource } from '../tool.js';

/** A call that a test answers. */
export interface HeldCall {
  name: ToolName;
  args: JsonObject;
  options: CallOptions;
  /** Resolves the call with a text. Default: `ok`. */
  answer(text?: string): void;
  /** Rejects the call. */
  fail(error: Error): void;
}

export interface HeldSource extends ToolSource {
  /** The calls that are open, in the order in which they came. */
  readonly open: readonly HeldCall[];
  /** How many were open at once, at most. */
  readonly mostOpen: number;
  /** Resolves when at least so many calls are open. */
  untilOpen(count: number): Promise<void>;
}

/**
 * A `ToolSource` whose calls stay open until the test ends them: for limits, queues, cancellation. It pays no attention
 * to signals, as an upstream server does that is busy, and has every tool that is asked for by name.
 */
export function heldSource(): HeldSource {
  const open: HeldCall[] = [];
  let mostOpen = 0;
  const waiting = new Set<() => void>();
  return {
    open,
    get mostOpen() {
      return mostOpen;
    },
    untilOpen: (count) =>
      new Promise((resolve) => {
        const look = () => {
          if (open.length < count) return;
          waiting.delete(look);
          resolve();
        };
        waiting.add(look);
        look();
      }),
    listTools({ name = 'mcp__test__held' } = {}) {
      const tool = { name: name as ToolName, server: 'test', parameters: {} };
      return Promise.resolve({ tools: [tool], failedServers: [] });
    },
    callTool: (name, args, options = {}) =>
      new Promise((resolve, reject) => {
        const end = () => open.splice(open.indexOf(call), 1);
        const call: HeldCall = {
          name,
          args,
          options,
          answer(text = 'ok') {
            end();
            resolve({ content: [{ type: 'text', text }] });
          },
          fail(error) {
            end();
            reject(error);
          },
        };
        open.push(call);
        mostOpen = Math.max(mostOpen, open.length);
        for (const look of waiting) look();
      }),
  };
}
