import type { Caller } from '@code-executor/contracts';
import {
  type CallToolResult,
  MissingRequiredClientCapabilityError,
  ProtocolError,
  ProtocolErrorCode,
  type Server,
  type ServerContext,
} from '@modelcontextprotocol/server';
import * as z from 'zod';

import type { ToolOutcome } from '../../tool.js';
import type { CallUnderWay } from '../calls/call-under-way.js';
import type { KeptCalls } from '../calls/kept-calls.js';
import { takeResponses } from '../questions/input-requests.js';
import { clientOf } from '../requesting-client.js';
import { tasksExtension, taskView } from './task-view.js';

export interface TaskOptions {
  kept: KeptCalls;
  caller: () => Caller;
  toResult: (outcome: ToolOutcome, context: ServerContext) => CallToolResult;
}

/** Serves the methods of the extension: what calls became tasks, their questions, and their end. */
export function serveTasks(server: Server, { kept, caller, toResult }: TaskOptions): void {
  const params = z.object({ taskId: z.string() });
  const handle = (
    method: string,
    answer: (call: CallUnderWay, context: ServerContext) => Record<string, unknown>,
  ) => {
    server.setRequestHandler(method, { params }, ({ taskId }, context) => {
      requireExtension(server, context);
      const call = kept.get(taskId, caller());
      if (!call) throw new ProtocolError(ProtocolErrorCode.InvalidParams, 'There is no such task.');
      return { resultType: 'complete', ...answer(call, context) };
    });
  };
  handle('tasks/get', (call, context) => {
    const { canOpenLinks } = clientOf(server, 'modern', context);
    return taskView(call, (outcome) => toResult(outcome, context), canOpenLinks);
  });
  handle('tasks/update', (call, { mcpReq }) => {
    takeResponses(call, mcpReq.inputResponses);
    return {};
  });
  handle('tasks/cancel', (call) => {
    call.stop();
    return {};
  });
}

function requireExtension(server: Server, context: ServerContext): void {
  if (clientOf(server, 'modern', context).takesTasks) return;
  const extensions = { [tasksExtension]: {} };
  throw new MissingRequiredClientCapabilityError({ requiredCapabilities: { extensions } });
}
