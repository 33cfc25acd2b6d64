import {
  type Approve,
  type ListOptions,
  type ToolHit,
  type ToolListing,
  type ToolSchema,
  untilAborted,
} from '@code-executor/contracts';
import type { ToolForm } from '@code-executor/schema-types';
import { searchTools } from '@code-executor/tool-search';

import type { CallLog } from '../calls/call-log.js';
import type { PolicyGate } from '../policy/tool-policy.js';
import { type PolicyMarks, toolHits } from './tool-hits.js';
import type { ToolLookup } from './tool-lookup.js';

/** What a listing is made with. */
export interface Listing {
  lookup: ToolLookup;
  policy: PolicyGate;
  form: ToolForm;
  log: CallLog;
  /** Absent if no person can be asked. */
  approve: Approve | undefined;
}

/** The tools that a listing shows, ranked if there is a query, and as much of each as its `detail` says. */
export async function listHits(
  listing: Listing,
  options: ListOptions,
  signal: AbortSignal | undefined,
): Promise<ToolListing<ToolHit>> {
  const { lookup, form, log } = listing;
  const { query = '', server, offset = 0, limit = Infinity, detail = 'full' } = options;
  signal?.throwIfAborted();
  const { tools, failedServers } = await find(lookup, options, signal);
  // The whole list is the same array each time, so that its index is made once.
  const matches: Match[] =
    query.trim() === ''
      ? tools.map((tool) => ({ tool }))
      : await untilAborted(searchTools(tools, query), signal);
  const wanted = inPercent(
    matches.filter(({ tool }) => server === undefined || tool.server === server),
  ).slice(offset, offset + limit);
  const rulesOn = (tool: ToolSchema) => rulesOf(listing, tool);
  const hits = await toolHits(wanted, { detail, form, failedServers, rulesOn, signal });
  // A lookup of a tool by its name, or by its path for a call, is not a discovery.
  if (options.name === undefined && detail !== 'schemas') log.found(query.trim(), server, hits.length);
  return { tools: hits, failedServers: [...failedServers] };
}

function find(
  lookup: ToolLookup,
  { name, server, untilReady = false }: ListOptions,
  signal: AbortSignal | undefined,
): Promise<ToolListing> {
  if (name !== undefined) return findOne(lookup, name, untilReady, signal);
  return server === undefined ? lookup.list(signal) : lookup.listServer(server, untilReady, signal);
}

async function findOne(
  lookup: ToolLookup,
  name: string,
  untilReady: boolean,
  signal: AbortSignal | undefined,
): Promise<ToolListing> {
  const tool = await lookup.find(name, untilReady, signal);
  if (tool) return { tools: [tool], failedServers: [] };
  const failure = lookup.failureOf(name);
  return { tools: [], failedServers: failure ? [failure] : [] };
}

/** What the policy says about a tool, whatever the program does; discovery shows tools that are blocked, too. */
function rulesOf({ policy, approve }: Listing, tool: ToolSchema): PolicyMarks {
  const rule = policy.barredBy(tool);
  if (rule !== undefined) {
    const reason = `The server's policy forbids this tool (${rule}).`;
    const fix = `Use another tool, or have the operator change ${rule}.`;
    return { unavailable: { reason, fix } };
  }
  const ask = policy.askedBy(tool);
  if (ask === undefined) return {};
  if (approve) return { asks: true };
  const reason = `A person must agree to each call (${ask}), and no one can be asked here.`;
  return { unavailable: { reason, fix: 'Use another tool, or a client that can ask its user.' } };
}

/** A tool, and how well it answers a query if there is one. */
interface Match {
  tool: ToolSchema;
  score?: number;
}

/** Scores as whole numbers up to 100, the best tool's, and never 0; matches come best first. */
function inPercent(matches: readonly Match[]): Match[] {
  const best = matches[0]?.score ?? 1;
  return matches.map(({ tool, score }) =>
    score === undefined ? { tool } : { tool, score: Math.max(1, Math.round((100 * score) / best)) },
  );
}
