import { CodeExecutorError, type ToolName } from '@code-executor/contracts';
import { fakeToolSource } from '@code-executor/contracts/testing';
import { describe, expect, test } from '@jest/globals';

import { createToolProxy, type ToolPolicy } from '../index.js';

describe('unknown tools', () => {
  const tools = fakeToolSource({
    mcp__filesystem__read_file: () => '',
    mcp__filesystem__read_files: () => '',
    mcp__filesystem__write_file: () => '',
    mcp__filesystem__write_files: () => '',
    mcp__github__search_issues: () => '',
    mcp__everything__echo: () => '',
    'mcp__everything__get-env': () => '',
  });
  const messageFor = async (name: string, allowedTools = ['*'], policy: ToolPolicy = {}) => {
    const call = createToolProxy({ tools, allowedTools, policy }).callTool(name as ToolName, {});
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
      'Tool mcp__gitlab__search_issues does not exist because there is no server gitlab; did you mean mcp__github__search_issues?',
    ],
    ['search_issues', 'Tool search_issues does not exist; did you mean mcp__github__search_issues?'],
    ['SearchIssues', 'Tool SearchIssues does not exist; did you mean mcp__github__search_issues?'],
    [
      'mcp__weather__forecast',
      'Tool mcp__weather__forecast does not exist because there is no server weather; the servers are filesystem, github, everything.',
    ],
    [
      'mcp__githb__close',
      'Tool mcp__githb__close does not exist because there is no server githb; did you mean github? The servers are filesystem, github, everything.',
    ],
    ['mcp__github__close', 'Tool mcp__github__close does not exist; github has search_issues.'],
    ['', 'Tool "" does not exist; the servers are filesystem, github, everything.'],
  ])('%j suggests near names', async (name, message) => {
    expect(await messageFor(name)).toBe(message);
  });

  test('suggest only tools that the policy allows', async () => {
    const policy = { ceiling: ['mcp__filesystem__read_*s', 'mcp__filesystem__rite_file'] };
    expect(await messageFor('mcp__filesystem__rite_file', ['*'], policy)).toBe(
      'Tool mcp__filesystem__rite_file does not exist; did you mean mcp__filesystem__read_files?',
    );
  });

  test('are reported instead of a missing entry in allowedTools, once it is known that there is no such tool', async () => {
    const proxy = createToolProxy({ tools, allowedTools: [] });
    const codeOf = (name: ToolName) =>
      proxy.callTool(name, {}).catch((reason: unknown) => CodeExecutorError.from(reason).code);
    const missing: ToolName[] = ['mcp__github__close', 'mcp__weather__forecast'];
    expect(await Promise.all(missing.map(codeOf))).toEqual(['permission_denied', 'permission_denied']);
    await proxy.listTools({ server: 'github' });
    expect(await Promise.all(missing.map(codeOf))).toEqual(['not_found', 'permission_denied']);
    await proxy.listTools();
    expect(await Promise.all(missing.map(codeOf))).toEqual(['not_found', 'not_found']);
    expect(await codeOf('mcp__github__search_issues')).toBe('permission_denied');
  });
});
