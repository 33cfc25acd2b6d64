import { describe, expect, test } from '@jest/globals';

import { instructionsFor } from './instructions.js';
import { introductions } from './introductions.js';

const { typescript, python } = introductions;

describe('instructionsFor', () => {
  test('names a bounded number of servers', () => {
    const servers = Array.from({ length: 60 }, (_, index) => `${'s'.repeat(18)}${index + 10}`);
    expect(instructionsFor(servers, [typescript])).toMatch(
      /^Use executeTypescript whenever .*: s{18}10, .*, s{18}54 and 15 more\./,
    );
    expect(instructionsFor([], [typescript])).toContain('No MCP server is configured');
  });

  test('names the languages that are enabled', () => {
    const both = instructionsFor(['good'], [typescript, python]);
    expect(both).toContain('Use executeTypescript or executePython whenever');
    const alone = instructionsFor(['good'], [python]);
    expect(alone).toMatch(/^Use executePython whenever .*`search_tools\("what you need"\)`.*call_mcp_tool/);
    expect(alone).not.toMatch(/executeTypescript|callMCPTool/);
  });

  test('mentions getExecution only if it is offered', () => {
    expect(instructionsFor([], [typescript])).not.toContain('getExecution');
    expect(instructionsFor([], [typescript], [], true)).toContain('getExecution has it.');
  });

  test('mentions neither servers nor languages if there are none', () => {
    expect(instructionsFor(['good'], [])).toBe(
      'No language is enabled here, so no code can run; health says more.',
    );
  });
});
