import { describe, expect, test } from '@jest/globals';

import { schemaToPython } from './python-type.js';

const string = { type: 'string' };
const object = (properties: object, ...required: string[]) => ({ type: 'object', properties, required });

describe('schemaToPython', () => {
  test.each<[string, unknown, string]>([
    ['true', true, 'Any'],
    ['false', false, 'Never'],
    ['string', string, 'str'],
    ['integer', { type: 'integer' }, 'int'],
    ['number', { type: 'number' }, 'float'],
    ['null', { type: 'null' }, 'None'],
    ['several types', { type: ['boolean', 'null'] }, 'bool | None'],
    ['enum', { enum: ['a"\\\n', 1, true, null] }, 'Literal["a\\"\\\\\\n", 1, True] | None'],
    ['numbers that cannot be a Literal', { enum: [1.5, 1e300] }, 'float | int'],
    ['array', { type: 'array', items: string }, 'list[str]'],
    [
      'tuple',
      { prefixItems: [string, { type: ['integer', 'null'] }], items: string },
      'list[str | int | None]',
    ],
    ['dictionary', { additionalProperties: string }, 'dict[str, str]'],
    ['a key without a name', { properties: { '': string } }, 'dict[str, Any]'],
    ['invisible characters', { const: '\u202e\u{e0001}' }, 'Literal["\\u202e\\U000e0001"]'],
  ])('writes %s', (_, schema, expected) => {
    expect(schemaToPython(schema, 'X')).toEqual({ type: expected, declarations: '' });
  });

  test('writes objects as classes, inner ones first, and equal ones once', () => {
    const label = object({ name: { ...string, description: 'Its name', default: 'bug' } }, 'name');
    const schema = {
      ...object({ labels: { type: 'array', items: label }, main: { $ref: '#/$defs/label' } }, 'labels'),
      $defs: { label },
    };
    expect(schemaToPython(schema, 'Issue')).toEqual({
      type: 'Issue',
      declarations: [
        'class IssueLabels(TypedDict):',
        '    """',
        '    name: Its name Default: "bug".',
        '    """',
        '',
        '    name: str',
        '',
        '',
        'class Issue(TypedDict):',
        '    labels: list[IssueLabels]',
        '    main: NotRequired[IssueLabels]',
      ].join('\n'),
    });
  });

  test.each(['from', 'a-b', '__init__', '__private', 'str', 'Any', 'ünï', '"}) or evil('])(
    'uses the functional form for %j, which is not a valid field name',
    (key) => {
      expect(schemaToPython(object({ [key]: string }, key), 'X').declarations).toBe(
        `X = TypedDict(\n    "X",\n    {\n        ${JSON.stringify(key)}: str,\n    },\n)`,
      );
    },
  );

  test('escapes a description so that it cannot end its docstring', () => {
    const description = '""" + evil() \\N{DASH} \\';
    expect(schemaToPython(object({ a: { description } }), 'X').declarations).toContain(
      '    """\n    a: \'\'\' + evil() \\\\N{DASH} \\\\\n    """\n',
    );
  });
});
