import type { FailedServer, Language, ToolSource } from '@code-executor/contracts';
import { generateWrappers, type WrapperChanges, writeWrappers } from '@code-executor/wrapper-gen';

export interface GenerateIntoOptions {
  languages: readonly Language[];
  /** Only these are asked, and the modules of others stay; default all. */
  servers?: readonly string[];
  signal: AbortSignal;
}

export interface Generated extends WrapperChanges {
  /** How many tools the modules have. */
  tools: number;
  /** Their modules stay as they are, unless their tools were known. */
  unavailableServers: FailedServer[];
}

/** Writes the modules of what the servers say now. */
export async function generateInto(
  directory: string,
  source: ToolSource,
  { languages, servers, signal }: GenerateIntoOptions,
): Promise<Generated> {
  const questions = servers?.map((server) => ({ server })) ?? [{}];
  const listings = await Promise.all(
    questions.map((question) => source.listTools({ ...question, refresh: true, untilReady: true, signal })),
  );
  const tools = listings.flatMap((listing) => listing.tools);
  const unavailableServers = listings.flatMap(({ failedServers }) => failedServers);
  const files = languages.flatMap((language) => generateWrappers(tools, language));
  // Nobody knows whether those that were not asked are gone.
  const keepsOthers = servers !== undefined || unavailableServers.length > 0;
  const changes = await writeWrappers(directory, files, { keepsOthers });
  return { tools: tools.length, ...changes, unavailableServers };
}
