import type { AuditRecord } from '@code-executor/contracts';
import { describe, expect, test } from '@jest/globals';

import { boundedEvent } from './bounded-event.js';

const event: AuditRecord = { type: 'execution', timestamp: '2026-03-01T12:00:00.000Z', status: 'success' };
const bounded = (fields: object) => boundedEvent({ ...event, ...fields });

describe('boundedEvent', () => {
  test('leaves an ordinary event unchanged', () => {
    const ordinary: AuditRecord = {
      ...event,
      action: 'started',
      correlationId: 'a'.repeat(32),
      executionId: 'exec_01234567890123456789',
      clientIp: '2001:db8:ffff:ffff:ffff:ffff:ffff:ffff',
      language: 'typescript',
      toolName: 'mcp__github__create_issue',
      codeHash: 'f'.repeat(64),
      codeLength: 12,
      allowedTools: ['mcp__github__*', 'mcp__files__read'],
      toolsCalled: [],
      errorCode: 'failed_precondition',
      durationMs: 1.25,
    };
    expect(boundedEvent(ordinary)).toEqual(ordinary);
  });

  test('drops unknown fields, and values of the wrong type', () => {
    const hostile = JSON.parse(
      '{"__proto__":{"x":1},"constructor":"c","prompt":"secret","durationMs":"1","count":null,"server":{"a":1},"toolsCalled":[1,"a",{}]}',
    ) as object;
    expect(bounded(hostile)).toEqual({ ...event, toolsCalled: ['a'] });
    expect(bounded({ durationMs: NaN, queuedMs: Infinity, count: 1.23456 })).toEqual({
      ...event,
      count: 1.235,
    });
  });

  test('cuts names and search terms to 200 characters, and lists to 100 entries', () => {
    const { toolName, query, allowedTools, toolsCalled } = bounded({
      toolName: 'é'.repeat(300),
      query: 'q'.repeat(300),
      allowedTools: Array.from({ length: 100 }, (_, index) => `tool${index}`),
      toolsCalled: Array.from({ length: 101 }, (_, index) => `tool${index}`),
    });
    expect([toolName, query]).toEqual(['é'.repeat(200), 'q'.repeat(200)]);
    expect(allowedTools).toHaveLength(100);
    expect(allowedTools?.at(-1)).toBe('tool99');
    expect(toolsCalled).toHaveLength(100);
    expect(toolsCalled?.slice(-2)).toEqual(['tool98', '…']);
  });

  test('keeps a program whole, as far as it fits into a line of the log', () => {
    const code = 'return 1;\n'.repeat(10_000);
    expect(bounded({ code }).code).toBe(code);
    for (const part of ['\u0000', 'ä', 'x']) {
      const kept = bounded({ code: part.repeat(10_000_000) });
      expect(Buffer.byteLength(JSON.stringify(kept))).toBeLessThan(1024 * 1024);
      expect(kept.code?.length).toBeGreaterThan(100_000);
    }
  });

  test('keeps a record below 8 KB, whatever it contains', () => {
    const text = '\u0000'.repeat(100_000);
    const names = Array.from({ length: 1000 }, () => text);
    const fields = ['type', 'status', 'action', 'correlationId', 'executionId', 'clientId', 'clientIp'];
    const more = [
      'language',
      'isolation',
      'toolName',
      'server',
      'query',
      'paramsHash',
      'codeHash',
      'errorCode',
    ];
    const numbers = [
      'count',
      'httpStatus',
      'codeLength',
      'durationMs',
      'queuedMs',
      'startupMs',
      'resultBytes',
      'returnedBytes',
    ];
    const all = boundedEvent({
      ...event,
      ...Object.fromEntries([...fields, ...more, 'timestamp'].map((field) => [field, text])),
      ...Object.fromEntries(numbers.map((field) => [field, -Number.MAX_VALUE / 7])),
      allowedTools: names,
      toolsCalled: names,
      patterns: names,
    });
    expect(Object.keys(all)).toHaveLength(27);
    const bytes = Buffer.byteLength(JSON.stringify(all));
    expect(bytes).toBeLessThan(8192);
    expect(bytes).toBeGreaterThan(4000);
  });
});
