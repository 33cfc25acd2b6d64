import {
  CodeExecutorError,
  type FailedServer,
  type ListDetail,
  type ToolHit,
  type ToolSchema,
} from '@code-executor/contracts';
import type { ToolForm } from '@code-executor/schema-types';

import { BriefListing } from './brief-hits.js';
import { toolHit } from './tool-hit.js';

/** How long hits are made before other work has a turn. */
const maxTurnMs = 20;
/** Longest text of all types of a listing together. */
const maxTypeChars = 16 * 1024 * 1024;

export interface HitOptions {
  detail: ListDetail;
  /** That of the program's language. */
  form: ToolForm;
  /** The servers that the listing reports as unavailable; brief hits do not repeat why. */
  failedServers: readonly FailedServer[];
  /** Why the policy bars a tool; undefined if it does not. */
  refusalOf: (tool: ToolSchema) => ToolSchema['unavailable'];
  signal: AbortSignal | undefined;
}

/** What holds for a tool in one listing only. */
interface Findings {
  score: number | undefined;
  /** Why the tool cannot be called, if the source does not say so itself. */
  unavailable: ToolSchema['unavailable'];
}

const ofItsServer = { reason: 'Its server is unavailable.', fix: 'See unavailableServers.' };

/**
 * What a listing says about each tool. Ten thousand hostile schemas take a while, so other work has its turn meanwhile.
 *
 * @throws CodeExecutorError `resource_exhausted` if the types are too large together; the signal's reason when it
 * fires.
 */
export async function toolHits(
  tools: readonly { tool: ToolSchema; score?: number }[],
  { detail, form, failedServers, refusalOf, signal }: HitOptions,
): Promise<ToolHit[]> {
  const brief = new BriefListing(tools.length, form);
  const failed = new Set(failedServers.map(({ server }) => server));
  const hits: ToolHit[] = [];
  let typeChars = 0;
  let since = performance.now();
  for (const { tool, score } of tools) {
    if (performance.now() - since >= maxTurnMs) {
      await new Promise((resolve) => setImmediate(resolve));
      signal?.throwIfAborted();
      since = performance.now();
    }
    const refusal = refusalOf(tool);
    let hit: ToolHit;
    if (detail === 'brief') {
      const ofServer = tool.unavailable && failed.has(tool.server) ? ofItsServer : tool.unavailable;
      hit = withFindings(brief.next(tool), { score, unavailable: refusal ?? ofServer });
    } else {
      hit = withFindings(toolHit(tool, detail, form), { score, unavailable: refusal });
    }
    hits.push(hit);
    typeChars += hit.types?.length ?? 0;
    if (typeChars > maxTypeChars) throw tooManyTypes();
  }
  return hits;
}

/** The same object if there is nothing to add. */
function withFindings(hit: ToolHit, findings: Findings): ToolHit {
  const { score, unavailable } = findings;
  if (score === undefined && unavailable === undefined) return hit;
  return { ...hit, ...(score !== undefined && { score }), ...(unavailable && { unavailable }) };
}

function tooManyTypes(): CodeExecutorError {
  const problem =
    'The types of these tools are larger than 16 MB together; ask for fewer with limit or server.';
  return new CodeExecutorError('resource_exhausted', problem);
}
