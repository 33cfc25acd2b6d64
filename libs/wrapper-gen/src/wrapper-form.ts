import type { ToolSchema } from '@code-executor/contracts';

/** How the modules of one language are named, and what they contain. */
export interface WrapperForm {
  /** The folder of its files in the directory of the wrappers; in lowercase, and different for each language. */
  folder: string;
  /** The extension of its files: `.ts`. */
  extension: string;
  /** Between the words of a module's name: `mcp-github`. */
  separator: '-' | '_';
  /** The file that makes the calls for all modules. `stem` is its name without the extension. */
  client: { stem: string; content(): string };
  /** The file that exports all servers. */
  index: { stem: string; content(servers: readonly IndexedServer[]): string };
  /** The module of each server. Never throws, whatever names, descriptions and schemas are. */
  modules(tools: readonly ToolSchema[]): ServerModule[];
}

/** A server as the index exports it. */
export interface IndexedServer {
  /** The server's name in code. */
  identifier: string;
  /** The name of its file, without the extension. */
  stem: string;
}

/** The module of one server. */
export interface ServerModule {
  server: string;
  /** The server's name in code. */
  identifier: string;
  content: string;
}

const moduleStem = { '-': /^mcp-[a-z0-9-]{1,80}$/, _: /^mcp_[a-z0-9_]{1,80}$/ };

/** The path of a file below the directory of the wrappers. */
export function pathOf({ folder, extension }: WrapperForm, stem: string): string {
  return `${folder}/${stem}${extension}`;
}

/** Whether a path may name a generated file of the form; nothing else in its folder is ours. */
export function isPathOf(form: WrapperForm, path: string): boolean {
  const { folder, extension, separator, client, index } = form;
  const stem = path.slice(folder.length + 1, -extension.length);
  const isStem = stem === client.stem || stem === index.stem || moduleStem[separator].test(stem);
  return isStem && path === pathOf(form, stem);
}
