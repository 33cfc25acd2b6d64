import { describe, expect, test } from '@jest/globals';

import { briefReport, type ExecutionReport } from './index.js';

const report: ExecutionReport = {
  success: true,
  status: 'succeeded',
  executionId: 'exec_1',
  output: '',
  result: 1,
  truncated: false,
  executionTimeMs: 5,
  isolation: 'portable',
  toolCallsMade: [],
  toolCallSummary: [],
};
const calls = {
  toolName: 'mcp__a__b',
  callCount: 3,
  successCount: 3,
  errorCount: 0,
  totalDurationMs: 12,
  averageDurationMs: 4,
  lastCallDurationMs: 5,
  lastCallStatus: 'success' as const,
  lastCalledAt: '2026-01-01T00:00:00.000Z',
};

describe('briefReport', () => {
  test('leaves out empty lists', () => {
    expect(briefReport(report)).toEqual({
      success: true,
      status: 'succeeded',
      executionId: 'exec_1',
      output: '',
      result: 1,
      executionTimeMs: 5,
      isolation: 'portable',
    });
  });

  test('keeps for each tool the number of calls, their duration and the failures', () => {
    const failed = { ...calls, toolName: 'mcp__a__c', errorCount: 2, lastErrorMessage: 'No.' };
    const brief = briefReport({
      ...report,
      toolCallsMade: ['mcp__a__b'],
      toolCallSummary: [calls, failed],
    });
    expect(brief).toMatchObject({ toolCallsMade: ['mcp__a__b'] });
    expect(brief.toolCallSummary).toEqual([
      { toolName: 'mcp__a__b', callCount: 3, totalDurationMs: 12 },
      { toolName: 'mcp__a__c', callCount: 3, totalDurationMs: 12, errorCount: 2, lastErrorMessage: 'No.' },
    ]);
  });

  test('lists ten unavailable servers with reasons, and the number of the others', () => {
    const serversOf = (count: number) =>
      briefReport({
        ...report,
        unavailableServers: Array.from({ length: count }, (_, n) => ({
          server: `s${n}`,
          reason: 'x',
          fix: 'y',
        })),
      }).unavailableServers;
    expect(serversOf(10)?.map(({ server }) => server)).toEqual([
      ...Array.from({ length: 10 }, (_, n) => `s${n}`),
    ]);
    expect(serversOf(12)?.slice(9)).toEqual([
      { server: 's9', reason: 'x', fix: 'y' },
      { server: '2 more', reason: 'They could not be listed either.', fix: 'health names them.' },
    ]);
  });

  test("does not repeat the program's own error", () => {
    const failed = { ...calls, errorCount: 1, lastErrorMessage: 'No such file.' };
    const summaryOf = (error: string) =>
      briefReport({ ...report, error, toolCallSummary: [failed] }).toolCallSummary;
    const rest = { toolName: 'mcp__a__b', callCount: 3, totalDurationMs: 12, errorCount: 1 };
    expect(summaryOf('McpToolError: No such file.\n    at program.ts:1:8')).toEqual([rest]);
    expect(summaryOf('Error: other')).toEqual([{ ...rest, lastErrorMessage: 'No such file.' }]);
  });

  test('keeps every other field except the pictures', () => {
    const others: Partial<ExecutionReport> = {
      stderr: 'x',
      resultNote: 'x',
      images: [{ mimeType: 'image/png', bytes: 3 }],
      error: 'x',
      errorCode: 'user_error',
      retryAfterMs: 1,
      unavailableServers: [{ server: 'a', reason: 'x', fix: 'x' }],
    };
    const content = [{ type: 'image', data: 'AAAA', mimeType: 'image/png' }];
    const brief = briefReport({ ...report, ...others, truncated: true, content });
    expect(brief).toMatchObject({ ...others, truncated: true });
    expect(brief).not.toHaveProperty('content');
  });
});
