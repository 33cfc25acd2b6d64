import {
  CodeExecutorError,
  type Language,
  type ListDetail,
  type ToolHit,
  type ToolSchema,
} from '@code-executor/contracts';

import { toolHit } from './tool-hit.js';

/** How long hits are made before others have a turn. */
const maxTurnMs = 20;
/** All types of a listing together. */
const maxTypeChars = 16 * 1024 * 1024;

export interface HitOptions {
  detail: ListDetail;
  /** The program's. */
  language: Language;
  /** Why the policy bars a tool; undefined where it does not. */
  refusalOf: (tool: ToolSchema) => ToolSchema['unavailable'];
  signal: AbortSignal | undefined;
}

/**
 * What a listing says of each tool. Ten thousand hostile schemas take a while: others have their turn meanwhile.
 *
 * @throws CodeExecutorError `resource_exhausted` where the types are too large together; the signal's reason when
 * it fires.
 */
export async function toolHits(
  tools: readonly { tool: ToolSchema; score?: number }[],
  { detail, language, refusalOf, signal }: HitOptions,
): Promise<ToolHit[]> {
  const hits: ToolHit[] = [];
  let typeChars = 0;
  let since = performance.now();
  for (const { tool, score } of tools) {
    if (performance.now() - since >= maxTurnMs) {
      await new Promise((resolve) => setImmediate(resolve));
      signal?.throwIfAborted();
      since = performance.now();
    }
    const hit = toolHit(tool, detail, language, score, refusalOf(tool));
    hits.push(hit);
    typeChars += hit.types?.length ?? 0;
    if (typeChars > maxTypeChars) throw tooManyTypes();
  }
  return hits;
}

function tooManyTypes(): CodeExecutorError {
  const problem =
    'The types of these tools are larger than 16 MB together; ask for fewer with limit or server.';
  return new CodeExecutorError('resource_exhausted', problem);
}
