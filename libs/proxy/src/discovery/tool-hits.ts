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
  rulesOn: (tool: ToolSchema) => PolicyMarks;
  signal: AbortSignal | undefined;
}

/** What the policy says about a tool: that it forbids the tool, and why, or that a person is asked about each call. */
export type PolicyMarks = Pick<ToolHit, 'unavailable' | 'asks'>;

/** What holds for a tool in one listing only; `unavailable` is there if the source does not say so itself. */
interface Findings extends PolicyMarks {
  score: number | undefined;
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
  { detail, form, failedServers, rulesOn, signal }: HitOptions,
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
    const rules = rulesOn(tool);
    let hit: ToolHit;
    if (detail === 'brief') {
      const ofServer = tool.unavailable && failed.has(tool.server) ? ofItsServer : tool.unavailable;
      hit = withFindings(brief.next(tool), { score, ...(ofServer && { unavailable: ofServer }), ...rules });
    } else {
      hit = withFindings(toolHit(tool, detail, form), { score, ...rules });
    }
    hits.push(hit);
    typeChars += hit.types?.length ?? 0;
    if (typeChars > maxTypeChars) throw tooManyTypes();
  }
  return hits;
}

/** The same object if there is nothing to add. */
function withFindings(hit: ToolHit, findings: Findings): ToolHit {
  const { score, unavailable, asks } = findings;
  if (score === undefined && unavailable === undefined && asks === undefined) return hit;
  return {
    ...hit,
    ...(score !== undefined && { score }),
    ...(unavailable && { unavailable }),
    ...(asks && { asks }),
  };
}

function tooManyTypes(): CodeExecutorError {
  const problem =
    'The types of these tools are larger than 16 MB together; ask for fewer with limit or server.';
  return new CodeExecutorError('resource_exhausted', problem);
}
