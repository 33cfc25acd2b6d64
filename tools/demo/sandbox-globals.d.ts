/** What the demo's program uses of the sandbox; docs/reference/sandbox-globals.md has all of it. */
interface FoundTool {
  name: string;
  description?: string;
  parameters: object;
}

declare function callMCPTool(name: string, params: object): Promise<unknown>;
declare function discoverMCPTools(options?: { search?: string[] }): Promise<FoundTool[]>;
