import { type JsonObject, type JsonSchema } from '@code-executor/contracts';
import { fakeToolSource } from '@code-executor/contracts/testing';
import { expect } from '@jest/globals';

import { createToolProxy } from '../index.js';

/** `called`, or the message with which the arguments were refused. */
export async function check(parameters: JsonSchema, args: unknown): Promise<string> {
  const tools = fakeToolSource({ mcp__fs__read: () => 'ok' }, { mcp__fs__read: { parameters } });
  const proxy = createToolProxy({ tools, allowedTools: ['*'] });
  try {
    await proxy.callTool('mcp__fs__read', args as JsonObject);
    expect(tools.calls).toHaveLength(1);
    return 'called';
  } catch (error) {
    expect(error).toMatchObject({ code: 'invalid_argument', tool: 'mcp__fs__read', server: 'fs' });
    expect(tools.calls).toEqual([]);
    return (error as Error).message;
  }
}

/** A schema with a keyword of each kind. */
export const parameters: JsonSchema = {
  type: 'object',
  properties: {
    path: { type: 'string', minLength: 1 },
    mode: { enum: ['text', 'binary', null] },
    head: { type: 'integer', minimum: 0 },
    tags: { type: 'array', items: { type: 'string' }, maxItems: 2 },
    range: {
      anyOf: [
        { type: 'string' },
        { type: 'object', properties: { from: { type: 'number' } }, required: ['from'] },
      ],
    },
    version: { const: 2 },
    when: { type: 'string', format: 'date-time' },
    code: { type: 'string', pattern: '^[A-Z]{3}$' },
    size: { oneOf: [{ type: 'integer' }, { type: 'number' }] },
    name: { type: ['string', 'null'] },
  },
  required: ['path'],
  additionalProperties: false,
};
