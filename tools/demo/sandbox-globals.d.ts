/** The functions that the demo's program uses. docs/reference/sandbox-globals.md describes all. */
interface FoundTool {
  name: string;
  signature: string;
}

interface Entity {
  name: string;
  entityType: string;
  observations: string[];
}

declare function searchTools(query: string, limit?: number): Promise<FoundTool[]>;
declare const tools: {
  filesystem: {
    listAllowedDirectories(): Promise<{ content: string }>;
    readTextFile(args: { path: string }): Promise<{ content: string }>;
  };
  memory: {
    createEntities(args: { entities: Entity[] }): Promise<unknown>;
    openNodes(args: { names: string[] }): Promise<{ entities: Entity[] }>;
  };
};
