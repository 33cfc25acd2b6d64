import * as z from 'zod';

import { problemInServerRule } from '../tool-patterns.js';
import { flag, integer, list, ownToolList, serverName, toolList } from './fields.js';
import { hook } from './hook.js';

export const policy = z.strictObject({
  ceiling: toolList(
    'Tools (names, globs such as `mcp__github__*`, or servers such as `github`) beyond which no execution may call any. Default: no ceiling; `[]` forbids all.',
  ),
  defaultAllowedTools: toolList(
    'Tools (names, globs or servers) that an execution may call without asking for them. Default: none.',
  ),
  readOnly: flag(
    'Whether only tools may be called whose servers claim (`readOnlyHint`) that they change nothing. Default: false.',
  ),
  ask: ownToolList(
    'Own tools (`executeTypescript`, `executePython`, or globs of them) whose programs need the agreement of a person before they start. Default: none.',
  ),
  servers: z
    .record(
      serverName,
      z.strictObject({
        allow: list(
          'Tools of this server (own or full names, or globs of them) that may be called; all others are blocked. Default: all.',
        ),
        deny: list(
          'Tools of this server (own or full names, or globs of them) that are blocked, whatever else allows them. Default: none.',
        ),
        ask: list(
          'Tools of this server (own or full names, or globs of them) of which each call needs the agreement of a person. Default: none.',
        ),
      }),
    )
    .superRefine((servers, context) => {
      for (const [server, rules] of Object.entries(servers)) {
        for (const [rule, patterns] of Object.entries(rules)) {
          for (const [index, pattern] of patterns.entries()) {
            const message = problemInServerRule(server, pattern);
            if (message !== undefined)
              context.addIssue({ code: 'custom', path: [server, rule, index], message });
          }
        }
      }
    })
    .exactOptional(),
  pinning: z
    .enum(['report', 'enforce'])
    .meta({
      description:
        'What happens to a tool whose definition differs from the one that was pinned when it was seen first: `report` shows what changed, `enforce` also blocks it until `code-executor tools approve`. Default: report.',
    })
    .exactOptional(),
  hook: hook.exactOptional(),
  budget: z
    .strictObject({
      maxCalls: integer(1, 1_000_000, 'Tool calls that one execution may make. Default: 1000.'),
      maxConcurrent: integer(1, 1000, 'Tool calls of one execution at once; further ones wait. Default: 32.'),
      maxBytes: integer(
        1000,
        1_073_741_824,
        'Bytes of tool results that one execution may receive. Default: 67108864.',
      ),
    })
    .exactOptional(),
});
