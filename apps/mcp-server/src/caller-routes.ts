import type { Admission, Caller, EventMarks, ToolSource } from '@code-executor/contracts';
import type { Host } from '@code-executor/host';
import type { RouteGroup } from '@code-executor/http-server';
import { createToolProxy, type ToolProxy, toolProxyRoutes } from '@code-executor/proxy';

import { callerOf, rateLimitOf } from './http-clients.js';

/**
 * The routes that call and list tools, for each client as the configuration says at that moment. Every request is an
 * execution of its own.
 */
export function callerRoutes(host: Host): RouteGroup {
  return toolProxyRoutes({
    createProxy: (clientId, correlationId) =>
      createCallerProxy(host, { caller: callerOf(host.settings.config, clientId), correlationId }),
    rateLimit: (clientId) => rateLimitOf(host.settings.config, clientId),
  });
}

/** Who asks, and within which trace. */
interface Asked {
  caller: Caller;
  correlationId: string;
}

function createCallerProxy({ tools, audit, admit, hook, settings }: Host, asked: Asked): ToolProxy {
  const { policy } = settings.config;
  return createToolProxy({
    tools: admit ? recordedFirst(tools, admit, asked) : tools,
    caller: asked.caller,
    isDirect: true,
    audit: (event) => audit({ ...event, ...marksOf(asked) }),
    ...(policy && { policy }),
    ...(hook && { hook }),
    ...(policy?.budget && { budget: policy.budget }),
  });
}

/** Makes no call unless it is on record before. */
function recordedFirst(tools: ToolSource, admit: Admission, asked: Asked): ToolSource {
  return {
    listTools: (options) => tools.listTools(options),
    async callTool(toolName, args, options) {
      const timestamp = new Date().toISOString();
      await admit({
        type: 'tool_call',
        action: 'started',
        status: 'success',
        timestamp,
        toolName,
        ...marksOf(asked),
      });
      return tools.callTool(toolName, args, options);
    },
  };
}

/** The record of a request says whose it is, and what it belongs to. */
function marksOf({ caller, correlationId }: Asked): Omit<EventMarks, 'timestamp'> {
  return { correlationId, clientId: caller.id, clientKind: caller.kind };
}
