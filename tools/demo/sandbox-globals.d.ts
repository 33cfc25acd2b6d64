/** The functions that a program is most likely to use; docs/reference/sandbox-globals.md has all of it. */
interface FoundTool {
  name: string;
  description?: string;
  parameters: object;
}

declare function callMCPTool(name: string, params: object): Promise<unknown>;
declare function discoverMCPTools(options?: { search?: string[] }): Promise<FoundTool[]>;
declare function display(value: unknown): Promise<void>;
