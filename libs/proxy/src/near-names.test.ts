import { CodeExecutorError, type ToolName } from '@code-executor/contracts';
import { fakeToolSource } from '@code-executor/contracts/testing';
import { describe, expect, test } from '@jest/globals';

import { createToolProxy } from './index.js';

describe('unknown tools', () => {
  const messageFor = async (name: string, allowedTools = ['*']) => {
    const tools = fakeToolSource({
      mcp__filesystem__read_file: () => '',
      mcp__filesystem__read_files: () => '',
      mcp__filesystem__write_file: () => '',
      mcp__filesystem__write_files: () => '',
      mcp__github__search_issues: () => '',
      mcp__everything__echo: () => '',
      'mcp__everything__get-env': () => '',
    });
    const call = createToolProxy({ tools, allowedTools }).callTool(name as ToolName, {});
    return call.then(
      () => 'ok',
      (reason: unknown) => {
        expect(CodeExecutorError.from(reason).code).toBe('not_found');
        return (reason as Error).message;
      },
    );
  };

  test.each([
    [
      'mcp__filesystem__readfile',
      'Tool mcp__filesystem__readfile does not exist; did you mean mcp__filesystem__read_file or mcp__filesystem__read_files?',
    ],
    [
      'mcp__filesystem__raed_file',
      'Tool mcp__filesystem__raed_file does not exist; did you mean mcp__filesystem__read_file?',
    ],
    [
      'mcp__everything__ehco',
      'Tool mcp__everything__ehco does not exist; did you mean mcp__everything__echo?',
    ],
    [
      'mcp__gitlab__search_issues',
      'Tool mcp__gitlab__search_issues does not exist; did you mean mcp__github__search_issues?',
    ],
    ['search_issues', 'Tool search_issues does not exist; did you mean mcp__github__search_issues?'],
    ['SearchIssues', 'Tool SearchIssues does not exist; did you mean mcp__github__search_issues?'],
    [
      'mcp__weather__forecast',
      'Tool mcp__weather__forecast does not exist; list the tools to see what there is.',
    ],
    ['', 'Tool "" does not exist; list the tools to see what there is.'],
  ])('%j: near names', async (name, message) => {
    expect(await messageFor(name)).toBe(message);
  });

  test('suggests only what may be called', async () => {
    expect(
      await messageFor('mcp__filesystem__rite_file', [
        'mcp__filesystem__read_*s',
        'mcp__filesystem__rite_file',
      ]),
    ).toBe('Tool mcp__filesystem__rite_file does not exist; did you mean mcp__filesystem__read_files?');
  });
});
