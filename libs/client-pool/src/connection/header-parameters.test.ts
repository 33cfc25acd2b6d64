import type { ToolSchema } from '@code-executor/contracts';
import { describe, expect, test } from '@jest/globals';

import { parameterHeaders, withUsableHeaders } from './header-parameters.js';

const annotated = { type: 'string', 'x-mcp-header': 'Region' };
const schema = (properties: Record<string, unknown>) => ({ type: 'object', properties });

describe('the header of an argument', () => {
  test.each([
    ['is the text itself', 'us west 1', 'us west 1'],
    ['is encoded if it is empty', '', '=?base64??='],
    ['is encoded if blanks surround it', ' a', '=?base64?IGE=?='],
    ['is encoded if it holds a line break', 'a\r\nb', '=?base64?YQ0KYg==?='],
    ['is encoded if it looks encoded', '=?base64?YQ==?=', '=?base64?PT9iYXNlNjQ/WVE9PT89?='],
    ['is a number as text', 42, '42'],
  ])('%s', (_what, value, header) => {
    const headers = parameterHeaders(schema({ region: annotated }), { region: value });
    expect(headers).toEqual({ 'Mcp-Param-Region': header });
  });

  test.each([
    ['the argument is null', null],
    ['the argument is an object', {}],
    ['the number is not exact', 2 ** 60],
  ])('is absent if %s', (_when, value) => {
    expect(parameterHeaders(schema({ region: annotated }), { region: value })).toEqual({});
  });
});

describe('a tool is left out', () => {
  test.each([
    ['the header has no name', schema({ a: { type: 'string', 'x-mcp-header': '' } })],
    ['the name could end the header', schema({ a: { type: 'string', 'x-mcp-header': 'A\r\nB' } })],
    ['the argument is not an integer', schema({ a: { type: 'number', 'x-mcp-header': 'A' } })],
    ['two arguments share a header', schema({ a: annotated, b: { ...annotated, 'x-mcp-header': 'REGION' } })],
    ['the argument is an item of a list', schema({ a: { type: 'array', items: annotated } })],
    ['the argument is one of several', { type: 'object', anyOf: [schema({ a: annotated })] }],
    ['the definition is not of an argument', { type: 'object', $defs: { a: annotated } }],
  ])('if %s', (_when, parameters) => {
    const tool: ToolSchema = { name: 'mcp__s__t', server: 's', parameters };
    const leftOut: string[] = [];
    expect(withUsableHeaders(new Map([['t', tool]]), (name) => leftOut.push(name)).size).toBe(0);
    expect(leftOut).toEqual(['t']);
  });
});

test('a property with the name of the annotation is a property', () => {
  const tool: ToolSchema = {
    name: 'mcp__s__t',
    server: 's',
    parameters: schema({ 'x-mcp-header': { type: 'number' } }),
  };
  expect(withUsableHeaders(new Map([['t', tool]]), () => undefined).size).toBe(1);
});
