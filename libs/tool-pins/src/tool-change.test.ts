import type { ToolSchema } from '@code-executor/contracts';
import { expect, test } from '@jest/globals';

import { definitionOf } from './definition.js';
import { changeOf, describeChange } from './tool-change.js';

const tool = (more: Partial<ToolSchema>): ToolSchema => ({
  name: 'mcp__a__b',
  server: 'a',
  parameters: { type: 'object' },
  ...more,
});
const change = (before: Partial<ToolSchema>, after: Partial<ToolSchema>) =>
  describeChange(changeOf(definitionOf(tool(before)), definitionOf(tool(after))));

test.each<[string, Partial<ToolSchema>, Partial<ToolSchema>]>([
  ['title (new: "B")', {}, { title: 'B' }],
  ['description (removed: "it")', { description: 'it' }, {}],
  ['parameters', {}, { parameters: { type: 'object', additionalProperties: false } }],
  ['output schema', {}, { outputSchema: { type: 'object' } }],
  ['annotations (new: "{\\"destructiveHint\\":true}")', {}, { annotations: { destructiveHint: true } }],
])('says %s', (expected, before, after) => {
  expect(change(before, after)).toBe(expected);
});

test('shows the difference in long texts, wherever it begins', () => {
  const long = 'x'.repeat(500);
  expect(change({ description: `${long}A${long}` }, { description: `${long}B${long}` })).toBe(
    `description (was "…${'x'.repeat(40)}A${'x'.repeat(159)}…", now "…${'x'.repeat(40)}B${'x'.repeat(159)}…")`,
  );
});

test('finds a difference beyond the text that is kept', () => {
  const long = 'x'.repeat(5000);
  expect(change({ description: `${long}A` }, { description: `${long}B` })).toBe(
    'description (after the part that is kept for comparison)',
  );
});

test('names 20 parameters, and counts the others', () => {
  const properties = Object.fromEntries(Array.from({ length: 23 }, (_, index) => [`p${index}`, {}]));
  const said = change({ parameters: { properties: {} } }, { parameters: { properties } });
  expect(said).toMatch(/^parameters \(added p0, p1, .*, p19, … \(3 more\)\)$/);
});

test('shows no character that could steer a terminal', () => {
  const said = change({}, { title: '\u001b[2J\u202e', parameters: { properties: { '\u001b': {} } } });
  expect(said).not.toMatch(/[\p{Cc}\p{Cf}]/u);
});

test('is not confused by the names of members of every object', () => {
  const properties = JSON.parse('{"__proto__":{"type":"string"},"constructor":{}}') as Record<string, never>;
  expect(change({ parameters: { properties: {} } }, { parameters: { properties } })).toBe(
    'parameters (added __proto__, constructor)',
  );
});
