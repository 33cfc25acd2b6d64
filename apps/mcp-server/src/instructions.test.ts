import { describe, expect, test } from '@jest/globals';

import { instructionsFor } from './instructions.js';

describe('instructionsFor', () => {
  test('names the servers, a bounded number of them', () => {
    const servers = Array.from({ length: 60 }, (_, index) => `s${index}`);
    expect(instructionsFor(servers, true)).toMatch(/^Use executeTypescript .*: s0, .*, s49 and 10 more\./);
    expect(instructionsFor([], true)).toContain('No MCP server is configured');
  });

  test('advertises nothing that is not there', () => {
    expect(instructionsFor(['good'], false)).toBe(
      'No language is enabled here, so no code can run; health says more.',
    );
  });
});
