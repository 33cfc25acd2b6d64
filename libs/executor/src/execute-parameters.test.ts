import { describe, expect, test } from '@jest/globals';
import { CodeExecutorError } from '@code-executor/contracts';

import { executeParameters } from './execute-parameters.js';
import type { ExecutionLanguage } from './languages/execution-language.js';
import { python } from './languages/python.js';
import { typescript } from './languages/typescript.js';

const parameters = executeParameters({ maxTimeoutMs: 60_000, maxCodeSize: 1000 });

function refusal(request: unknown): string {
  try {
    parameters.parse(request, typescript);
  } catch (error) {
    expect(CodeExecutorError.is(error) && error.code).toBe('invalid_argument');
    return (error as Error).message;
  }
  throw new Error('It was accepted.');
}

describe('executeParameters', () => {
  test('adds the defaults to a request, and leaves allowedTools to the policy', () => {
    expect(parameters.parse({ code: 'return 1' }, typescript)).toEqual({
      code: 'return 1',
      timeoutMs: 30_000,
      permissions: { read: [], write: [], net: [] },
    });
  });

  test('keeps everything that was asked for', () => {
    const request = {
      code: 'return "🎈\\u0000"',
      allowedTools: ['mcp__github__*'],
      timeoutMs: 60_000,
      permissions: {
        read: ['/data'],
        write: ['/out'],
        net: ['api.example.com', '*.bücher.example:8443', '[::1]:8080', '::1'],
      },
    };
    expect(parameters.parse(request, typescript)).toEqual(request);
  });

  test('refuses a host with a port out of range', () => {
    const request = { code: '1', permissions: { net: ['api.example.com:65536'] } };
    expect(() => parameters.parse(request, typescript)).toThrow(
      'permissions.net[0] is "api.example.com:65536"',
    );
  });

  test('never has a default time limit above the maximum', () => {
    expect(executeParameters({ maxTimeoutMs: 5000 }).parse({ code: '1' }, python).timeoutMs).toBe(5000);
  });

  test('accepts for Python what it accepts for TypeScript, except files', () => {
    const net = ['api.example.com'];
    const parse = (permissions: object) => () => parameters.parse({ code: '1', permissions }, python);
    expect(parse({ read: [], write: [], net })()).toMatchObject({
      permissions: { read: [], write: [], net },
    });
    const advice =
      'Python programs take no files: leave it out, and call the tools of a filesystem server instead.';
    expect(parse({ read: ['/data'] })).toThrow(`Parameter permissions.read is a list of 1; ${advice}`);
    expect(parse({ read: ['/a', '/b'], write: ['/c'], net })).toThrow(
      `Parameter permissions.read is a list of 2; Parameter permissions.write is a list of 1; ${advice}`,
    );
  });

  const codeRule = 'text of 1 to 1000 characters, not only blanks, without lone surrogates';
  const timeoutRule = 'a whole number from 1000 to 60000';
  const toolsRule =
    'a list of at most 1000 servers such as "github", tool names or globs such as "mcp__github__get_*"';
  const pathsRule = 'a list of at most 1000 absolute paths';
  test.each<[unknown, string]>([
    [undefined, 'The parameters are of type undefined; send an object with the parameters.'],
    [null, 'The parameters are null; send an object with the parameters.'],
    [['a'], 'The parameters are a list of 1; send an object with the parameters.'],
    [{}, `Parameter code is missing; it must be ${codeRule}.`],
    [{ code: '' }, `Parameter code is "" (text, 0 characters); it must be ${codeRule}.`],
    [{ code: ' \n' }, `Parameter code is " \\n" (text, 2 characters); it must be ${codeRule}.`],
    [{ code: 42 }, `Parameter code is 42 (number); it must be ${codeRule}.`],
    [{ code: null }, `Parameter code is null; it must be ${codeRule}.`],
    [{ code: { a: 1 } }, `Parameter code is an object; it must be ${codeRule}.`],
    [{ code: '\ud800' }, `Parameter code is "\\ud800" (text, 1 characters); it must be ${codeRule}.`],
    [
      { code: 'x'.repeat(1001) },
      `Parameter code is "${'x'.repeat(60)}…" (text, 1001 characters); it must be ${codeRule}.`,
    ],
    [{ code: '1', timeoutMs: 999 }, `Parameter timeoutMs is 999 (number); it must be ${timeoutRule}.`],
    [{ code: '1', timeoutMs: 60_001 }, `Parameter timeoutMs is 60001 (number); it must be ${timeoutRule}.`],
    [{ code: '1', timeoutMs: 1500.5 }, `Parameter timeoutMs is 1500.5 (number); it must be ${timeoutRule}.`],
    [{ code: '1', timeoutMs: NaN }, `Parameter timeoutMs is NaN (number); it must be ${timeoutRule}.`],
    [
      { code: '1', timeoutMs: '5000' },
      `Parameter timeoutMs is "5000" (text, 4 characters); it must be ${timeoutRule}.`,
    ],
    [
      { code: '1', allowedTools: '["a"]' },
      `Parameter allowedTools is "[\\"a\\"]" (text, 5 characters); it must be ${toolsRule}.`,
    ],
    [
      { code: '1', allowedTools: ['a', true] },
      `Parameter allowedTools[1] is true (boolean); allowedTools must be ${toolsRule}.`,
    ],
    [
      { code: '1', allowedTools: Array.from({ length: 1001 }, () => 'a') },
      `Parameter allowedTools is a list of 1001; it must be ${toolsRule}.`,
    ],
    [
      { code: '1', permissions: true },
      'Parameter permissions is true (boolean); it must be an object with any of the lists read, write and net.',
    ],
    [
      { code: '1', permissions: { read: ['data'] } },
      `Parameter permissions.read[0] is "data" (text, 4 characters); permissions.read must be ${pathsRule}.`,
    ],
    [
      { code: '1', permissions: { write: ['/a\0b'] } },
      `Parameter permissions.write[0] is "/a\\u0000b" (text, 4 characters); permissions.write must be ${pathsRule}.`,
    ],
    [
      { code: '1', permissions: { net: ['https://api.example.com'] } },
      'Parameter permissions.net[0] is "https://api.example.com" (text, 23 characters); permissions.net must be ' +
        'a list of at most 1000 hosts such as "api.example.com" or "api.example.com:8443".',
    ],
    [
      { code: '1', timeout: 5 },
      'Unknown parameter "timeout"; known are code, allowedTools, timeoutMs, permissions.',
    ],
    [
      { code: '1', permissions: { env: [] } },
      'Unknown parameter "permissions.env"; known are permissions.read, permissions.write, permissions.net.',
    ],
  ])('refuses %j', (request, message) => {
    expect(refusal(request)).toBe(message);
  });

  test('names all problems in one message of bounded length', () => {
    const message = refusal({ code: 1, timeoutMs: 1, permissions: { read: [1] } });
    expect(message.match(/Parameter /g)).toHaveLength(3);
    const endless = refusal({ code: 'x', ['k'.repeat(500)]: 1, allowedTools: Array(5000).fill({}) });
    expect(endless).toMatch(/There are \d+ more problems\.$/);
    expect(endless.length).toBeLessThan(2000);
  });

  test('publishes the ranges', () => {
    expect(parameters.jsonSchema(typescript)).toMatchObject({
      type: 'object',
      required: ['code'],
      additionalProperties: false,
      properties: {
        code: { type: 'string', minLength: 1, maxLength: 1000 },
        timeoutMs: { type: 'integer', minimum: 1000, maximum: 60_000, default: 30_000 },
        permissions: { type: 'object', additionalProperties: false },
      },
    });
  });

  test('publishes files for TypeScript only', () => {
    const permissionsIn = (language: ExecutionLanguage) => {
      const { properties } = parameters.jsonSchema(language) as {
        properties: { permissions: { properties: object } };
      };
      return Object.keys(properties.permissions.properties);
    };
    expect(permissionsIn(typescript)).toEqual(['read', 'write', 'net']);
    expect(permissionsIn(python)).toEqual(['net']);
  });
});
