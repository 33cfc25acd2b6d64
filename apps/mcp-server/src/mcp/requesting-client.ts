import {
  CLIENT_CAPABILITIES_META_KEY,
  CLIENT_INFO_META_KEY,
  type ClientCapabilities,
  type Server,
  type ServerContext,
} from '@modelcontextprotocol/server';

/** `legacy`: up to 2025-11-25, with `initialize`. `modern`: 2026-07-28, where each request says who sends it. */
export type Era = 'legacy' | 'modern';

/** What a client says of itself. Nothing of it is a reason to trust it. */
export interface RequestingClient {
  name: string | undefined;
  /** Can show a person a form. */
  canShowForms: boolean;
}

/** The client that sent a request. */
export function clientOf(server: Server, era: Era, context: ServerContext): RequestingClient {
  const { name, capabilities } = era === 'legacy' ? fromInitialize(server) : fromEnvelope(context);
  const elicitation = capabilities?.elicitation;
  return {
    name,
    // A client that names no way to ask shows forms: there was no other way once.
    canShowForms:
      elicitation !== undefined && (elicitation.form !== undefined || elicitation.url === undefined),
  };
}

interface Introduced {
  name: string | undefined;
  capabilities: ClientCapabilities | undefined;
}

function fromInitialize(server: Server): Introduced {
  return { name: server.getClientVersion()?.name, capabilities: server.getClientCapabilities() };
}

/** The SDK has validated the envelope, but publishes no type of it. */
function fromEnvelope({ mcpReq }: ServerContext): Introduced {
  const envelope: Record<string, unknown> = { ...mcpReq.envelope };
  const info = envelope[CLIENT_INFO_META_KEY] as { name: string } | undefined;
  const capabilities = envelope[CLIENT_CAPABILITIES_META_KEY] as ClientCapabilities | undefined;
  return { name: info?.name, capabilities };
}
