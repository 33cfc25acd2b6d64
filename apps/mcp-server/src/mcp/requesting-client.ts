import {
  CLIENT_CAPABILITIES_META_KEY,
  CLIENT_INFO_META_KEY,
  type ClientCapabilities,
  LOG_LEVEL_META_KEY,
  type Server,
  type ServerContext,
} from '@modelcontextprotocol/server';

import { type LogLevel, logLevelFrom } from './logging/log-level.js';
import { tasksExtension } from './tasks/task-view.js';

/** `legacy`: up to 2025-11-25, with `initialize`. `modern`: 2026-07-28, where each request says who sends it. */
export type Era = 'legacy' | 'modern';

/** What a client says of itself. Nothing of it is a reason to trust it. */
export interface RequestingClient {
  name: string | undefined;
  /** Can show a person a form. */
  canShowForms: boolean;
  /** Can open an address that a person has agreed to. */
  canOpenLinks: boolean;
  /** Takes a task in place of a result. */
  takesTasks: boolean;
  /** From which level on it wants log messages with this request; undefined for none. */
  logLevel: LogLevel | undefined;
}

/** The client that sent a request. */
export function clientOf(server: Server, era: Era, context: ServerContext): RequestingClient {
  return era === 'legacy' ? fromInitialize(server) : fromEnvelope(context);
}

function fromInitialize(server: Server): RequestingClient {
  return {
    name: server.getClientVersion()?.name,
    canShowForms: showsForms(server.getClientCapabilities()),
    canOpenLinks: opensLinks(server.getClientCapabilities()),
    takesTasks: false,
    logLevel: undefined,
  };
}

/** The SDK has validated the envelope, but publishes no type of it. */
function fromEnvelope({ mcpReq }: ServerContext): RequestingClient {
  const envelope: Record<string, unknown> = { ...mcpReq.envelope };
  const info = envelope[CLIENT_INFO_META_KEY] as { name: string } | undefined;
  const capabilities = envelope[CLIENT_CAPABILITIES_META_KEY] as ClientCapabilities | undefined;
  return {
    name: info?.name,
    canShowForms: showsForms(capabilities),
    canOpenLinks: opensLinks(capabilities),
    takesTasks: capabilities?.extensions?.[tasksExtension] !== undefined,
    logLevel: logLevelFrom(envelope[LOG_LEVEL_META_KEY]),
  };
}

/** A client that names no way to ask shows forms: there was no other way once. */
function showsForms({ elicitation }: ClientCapabilities = {}): boolean {
  return elicitation !== undefined && (elicitation.form !== undefined || elicitation.url === undefined);
}

function opensLinks({ elicitation }: ClientCapabilities = {}): boolean {
  return elicitation?.url !== undefined;
}
