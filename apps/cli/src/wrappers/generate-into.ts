import type { FailedServer, ToolSource } from '@code-executor/contracts';
import {
  generateWrappers,
  type WrapperChanges,
  type WrapperForm,
  writeWrappers,
} from '@code-executor/wrapper-gen';

export interface GenerateIntoOptions {
  /** The languages to write the modules in. */
  forms: readonly WrapperForm[];
  /** Only these are asked, and the modules of others stay. Default: all. */
  servers?: readonly string[];
  signal: AbortSignal;
}

export interface Generated extends WrapperChanges {
  /** The number of tools in the modules. */
  tools: number;
  /** Servers that could not be asked. Their modules stay as they are, unless their tools are cached. */
  unavailableServers: FailedServer[];
}

/** Writes modules for the tools that the servers list now. */
export async function generateInto(
  directory: string,
  source: ToolSource,
  { forms, servers, signal }: GenerateIntoOptions,
): Promise<Generated> {
  const questions = servers?.map((server) => ({ server })) ?? [{}];
  const listings = await Promise.all(
    questions.map((question) => source.listTools({ ...question, refresh: true, untilReady: true, signal })),
  );
  const tools = listings.flatMap((listing) => listing.tools);
  const unavailableServers = listings.flatMap(({ failedServers }) => failedServers);
  const files = forms.flatMap((form) => generateWrappers(tools, form));
  // Servers that were not asked may still exist.
  const keepsOthers = servers !== undefined || unavailableServers.length > 0;
  const changes = await writeWrappers(directory, files, { keepsOthers });
  return { tools: tools.length, ...changes, unavailableServers };
}
