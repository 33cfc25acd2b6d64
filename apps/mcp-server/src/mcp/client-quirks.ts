/** How a client shows a model something else than what a tool answered. */
export interface ClientQuirks {
  /** Shows only structured content if there is any: results with pictures have none then, and tools promise none. */
  dropsPictures?: true;
  /** Shows all of a result that is an error as JSON: such results have no `_meta` then. */
  showsMetaOfErrors?: true;
}

/** The quirks that were measured, by the name that a client gives itself. */
const quirksByClient: ReadonlyMap<string, ClientQuirks> = new Map<string, ClientQuirks>([
  // Seen in Codex 0.169.0. Claude Code 2.1.197 and Gemini CLI 0.61.0 show pictures beside structured content.
  ['codex-mcp-client', { dropsPictures: true }],
  // Seen in Gemini CLI 0.61.0.
  ['gemini-cli-mcp-client', { showsMetaOfErrors: true }],
]);

/** The quirks of a client; an unknown client has none. */
export function quirksOf(clientName: string | undefined): ClientQuirks {
  return quirksByClient.get(clientName ?? '') ?? {};
}
