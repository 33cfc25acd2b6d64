import type { FailedServer, ToolSource } from '@code-executor/contracts';
import {
  generateWrappers,
  type WrapperChanges,
  type WrapperForm,
  writeWrappers,
} from '@code-executor/wrapper-gen';

export interface GenerateIntoOptions {
  /** What the modules are written in. */
  forms: readonly WrapperForm[];
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
  { forms, servers, signal }: GenerateIntoOptions,
): Promise<Generated> {
  const questions = servers?.map((server) => ({ server })) ?? [{}];
  const listings = await Promise.all(
    questions.map((question) => source.listTools({ ...question, refresh: true, untilReady: true, signal })),
  );
  const tools = listings.flatMap((listing) => listing.tools);
  const unavailableServers = listings.flatMap(({ failedServers }) => failedServers);
  const files = forms.flatMap((form) => generateWrappers(tools, form));
  // Nobody knows whether those that were not asked are gone.
  const keepsOthers = servers !== undefined || unavailableServers.length > 0;
  const changes = await writeWrappers(directory, files, { keepsOthers });
  return { tools: tools.length, ...changes, unavailableServers };
}
