import type { ToolName, ToolSchema, ToolSource } from '@code-executor/contracts';
import { fakeToolSource } from '@code-executor/contracts/testing';

export type Definition = Partial<Omit<ToolSchema, 'name' | 'server'>>;

/** A source whose tools can be replaced, as those of a server that lists them again. */
export class ChangingSource implements ToolSource {
  #source = fakeToolSource({});
  #calls = 0;

  constructor(tools: Record<string, Definition>) {
    this.list(tools);
  }

  /** The calls that were made. */
  get calls(): number {
    return this.#calls + this.#source.calls.length;
  }

  list(tools: Record<string, Definition>): void {
    this.#calls = this.calls;
    const functions = Object.fromEntries(Object.keys(tools).map((name) => [name, () => 'done']));
    this.#source = fakeToolSource(functions, tools);
  }

  listTools: ToolSource['listTools'] = (options) => this.#source.listTools(options);
  callTool: ToolSource['callTool'] = (name, args, options) => this.#source.callTool(name, args, options);
}

export const sendMail: ToolName = 'mcp__mail__send';

/** A tool with this description. */
export const described = (description: string, more: Definition = {}): Record<string, Definition> => ({
  [sendMail]: { description, ...more },
});
