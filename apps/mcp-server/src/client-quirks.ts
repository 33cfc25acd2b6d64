/** Where a client shows a model something else than what a tool answers. */
export interface ClientQuirks {
  /** Beside structured content it shows nothing: results with pictures come without, and tools promise none. */
  dropsPictures?: true;
  /** Of a result that is an error it shows everything as JSON: such results come without `_meta`. */
  showsMetaOfErrors?: true;
}

/** One row for each quirk that was measured, by the name that the client gives itself. */
const quirksByClient: ReadonlyMap<string, ClientQuirks> = new Map<string, ClientQuirks>([
  // Seen in Codex 0.169.0. Claude Code 2.1.197 and Gemini CLI 0.61.0 show pictures beside structured content.
  ['codex-mcp-client', { dropsPictures: true }],
  // Seen in Gemini CLI 0.61.0.
  ['gemini-cli-mcp-client', { showsMetaOfErrors: true }],
]);

/** The quirks of a client; none of one that is not known. */
export function quirksOf(clientName: string | undefined): ClientQuirks {
  return quirksByClient.get(clientName ?? '') ?? {};
}
