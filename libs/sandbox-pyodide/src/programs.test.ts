import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';

import { type ExecutionRequest, noPermissions } from '@code-executor/contracts';
import { fakeToolSource, isolationsUnderTest } from '@code-executor/contracts/testing';

import { PyodideSandbox } from './pyodide-sandbox.js';
import { snapshotDir } from './snapshot-dir.test.support.js';

describe.each(isolationsUnderTest())('Python programs (%s)', (isolation) => {
  let sandbox: PyodideSandbox;
  beforeAll(() => {
    sandbox = new PyodideSandbox({ isolation, snapshotDir: snapshotDir() });
  });
  afterAll(() => sandbox.close());

  const run = (code: string, request: Partial<ExecutionRequest> = {}) =>
    sandbox.execute({
      code,
      timeoutMs: 30_000,
      permissions: noPermissions,
      tools: fakeToolSource({}),
      ...request,
    });

  test.each<[string, string, unknown]>([
    ['the last expression', 'x = 20\nx + 22', 42],
    ['a file with a byte order mark', '\ufeff6 * 7', 42],
    ['an awaited expression', 'import asyncio\nawait asyncio.sleep(0, "later")', 'later'],
    ['a coroutine that is not awaited', 'async def main():\n  return 7\nmain()', 7],
    ['asyncio.run', 'import asyncio\nasync def main():\n  return 8\nasyncio.run(main())', 8],
    ['a tuple', '(1, "a", None, True, 2.5)', [1, 'a', null, true, 2.5]],
    ['keys that are not strings', '{1: "a", None: "b", (1, 2): "c"}', { 1: 'a', null: 'b', '[1, 2]': 'c' }],
    ['a set, sorted', '{3, 1, 2}', [1, 2, 3]],
    [
      'a dataclass',
      'from dataclasses import dataclass\n@dataclass\nclass P:\n  x: int\n  tags: set\nP(1, {"b", "a"})',
      { x: 1, tags: ['a', 'b'] },
    ],
    [
      'dates',
      'import datetime as d\n[d.date(2026, 1, 2), d.datetime(2026, 1, 2, 3, 4), d.timedelta(minutes=1)]',
      ['2026-01-02', '2026-01-02T03:04:00', 60],
    ],
    [
      'Decimal and Fraction',
      'from decimal import Decimal\nfrom fractions import Fraction\n[Decimal("1.10"), Fraction(1, 3)]',
      ['1.10', '1/3'],
    ],
    ['an enumeration', 'import enum\nclass C(enum.Enum):\n  RED = "red"\n{"c": C.RED}', { c: 'red' }],
    ['views and ranges', '[{"a": 1}.keys(), range(3), {"a": 1}.items()]', [['a'], [0, 1, 2], [['a', 1]]]],
    ['numbers that JavaScript writes differently', '[1e20, 1e21, 1.0, 1e-7]', [1e20, 1e21, 1, 1e-7]],
    ['an object of JavaScript', 'import js\njs.eval("({ a: [1] })")', { a: [1] }],
    ['half of a surrogate pair', '"\\ud800x"', '\ud800x'],
    [
      'what numpy would give',
      'class A:\n  __module__ = "numpy"\n  def tolist(self): return [1, [2]]\nA()',
      [1, [2]],
    ],
    ['a return on the last line', 'x = 5\nreturn x', 5],
    ['a last line with a semicolon', '5;', 5],
    [
      'exceptions',
      'class E(Exception):\n  def __init__(self): super().__init__("b"); self.code = 7\n[ValueError("a"), ExceptionGroup("g", [E()])]',
      [
        { name: 'ValueError', message: 'a' },
        {
          ...{ name: 'ExceptionGroup', message: 'g (1 sub-exception)' },
          errors: [{ name: 'E', message: 'b', code: 7 }],
        },
      ],
    ],
  ])('have the value of %s', async (_what, code, value) => {
    expect(await run(code)).toMatchObject({ status: 'succeeded', value, stderr: '' });
  });

  test.each<[string, string, unknown, string]>([
    ['NaN', '{"a": float("nan")}', { a: null }, "The value['a'] is nan, which JSON has not: null."],
    [
      'large integers',
      '2**60',
      '1152921504606846976',
      'The value is an integer beyond 2**53, shown as text.',
    ],
    ['bytes', 'b"abc"', 'YWJj', 'The value is bytes, shown as base64.'],
    [
      'what is no data',
      'class Thing:\n  def __repr__(self): return "<Thing>"\n[1, Thing()]',
      [1, '<Thing>'],
      'The value[1] is a Thing, which is not JSON: shown as its repr.',
    ],
    [
      'keys that are the same as text',
      '{1: "a", "1": "b"}',
      { 1: 'b' },
      "The value['1'] stands twice, once its key is text: the last is shown.",
    ],
    [
      'a picture that fails',
      'class P:\n  def _repr_png_(self): raise ValueError\n  def __repr__(self): return "<P>"\nP()',
      '<P>',
      'The value is a P, which is not JSON: shown as its repr.',
    ],
    [
      'a loop',
      'a = []\na.append(a)\na',
      ['[[[[[[[...]]]]]]]'],
      'The value[0] contains itself: shown as its repr.',
    ],
  ])('have a value and a note for %s', async (_what, code, value, valueNote) => {
    expect(await run(code)).toMatchObject({ status: 'succeeded', value, valueNote });
  });

  test('show only their own lines in tracebacks', async () => {
    const code = 'import json\ndef parse(text):\n    return json.loads(text)\nparse("{")';
    const { status, error } = await run(code);
    expect({ status, error }).toEqual({
      status: 'failed',
      error: {
        code: 'user_error',
        message: [
          'Traceback (most recent call last):',
          '  File "program.py", line 4, in <module>',
          '    parse("{")',
          '    ~~~~~^^^^^',
          '  File "program.py", line 3, in parse',
          '    return json.loads(text)',
          '           ~~~~~~~~~~^^^^^^',
          'json.decoder.JSONDecodeError: Expecting property name enclosed in double quotes: line 1 column 2 (char 1)',
        ].join('\n'),
      },
    });
  });

  test('get an explanation of a syntax error', async () => {
    const { error } = await run('x = 1\nif x\n  pass');
    expect(error).toEqual({
      code: 'user_error',
      message: '  File "program.py", line 2\n    if x\n        ^\nSyntaxError: expected \':\'',
    });
  });

  test.each([
    [
      'import requests',
      'Python has no sockets, so requests would not work: from pyodide.http import pyfetch',
    ],
    ['import micropip', 'Programs install nothing. Packages are added on the machine of the server'],
    [
      'import urllib.request\nurllib.request.urlopen("http://10.0.0.1")',
      'Python has no sockets: from pyodide.http import pyfetch',
    ],
    ['import subprocess\nsubprocess.run(["ls"])', 'There are no other processes here; call a tool.'],
    ['import os\nos.system("ls")', 'There are no other processes here; call a tool.'],
    ['open("/etc/passwd")', 'The files of the host are not there; call a tool for files.'],
    ['open("/data/orders.csv")', 'The files of the host are not there; call a tool for files.'],
    ['open("/home/orders.csv")', "No such file or directory: '/home/orders.csv'"],
    ['if True:\n  return 3', 'At the top level, return is for the last line'],
    [
      '!pip install pandas',
      'This looks like a command of a shell; there is none here, and nothing can be installed.',
    ],
    ['const x = 1;\nreturn x', 'This looks like TypeScript, which executeTypescript runs.'],
    ['console.log(1)', 'This looks like TypeScript, which executeTypescript runs.'],
    [
      'import js\njs.Deno.readTextFileSync("/etc/passwd")',
      'read access to "/etc/passwd": ask for its folder in',
    ],
  ])('get advice on what to do instead: %j', async (code, advice) => {
    const { error } = await run(code);
    expect(error?.code).toBe('user_error');
    expect(error?.message.split('\n').at(-1)).toContain(advice);
  });

  test('get no advice on other errors', async () => {
    const code = `
errors = []
for path in ("/tmp/none", "none"):
    try:
        open(path)
    except FileNotFoundError as error:
        errors.append(str(error))
print(errors)
undefined_name`;
    const { stdout, error } = await run(code);
    expect(stdout).toContain("No such file or directory: '/tmp/none'");
    expect(error?.message.split('\n').at(-1)).toBe("NameError: name 'undefined_name' is not defined");
  });

  test('get advice on how to add a missing module', async () => {
    const { error } = await run('import PIL.Image');
    expect(error?.message).toMatch(
      /^Traceback[^]*ModuleNotFoundError: No module named 'PIL'\nIt can be added on the machine of the server: code-executor python add Pillow$/,
    );
  });

  test.each([
    ['sys.exit() with text', 'import sys\nsys.exit("why")', 'The program called sys.exit(1).'],
    ['exit(3)', 'exit(3)', 'The program called sys.exit(3).'],
  ])('that call %s end early', async (_what, code, message) => {
    expect(await run(code)).toMatchObject({ status: 'failed', error: { code: 'ended_early', message } });
  });

  test('have their own environment and arguments', async () => {
    const code =
      'import os, sys\n{"env": dict(os.environ), "argv": sys.argv, "cwd": os.getcwd(), "name": __name__}';
    expect((await run(code)).value).toEqual({
      env: { HOME: '/home/pyodide', LANG: 'C.UTF-8', PATH: '/usr/bin' },
      argv: ['program.py'],
      cwd: '/home/pyodide',
      name: '__main__',
    });
  });

  test('know the time zones of the host', async () => {
    const code = `
from zoneinfo import ZoneInfo, available_timezones
from datetime import datetime
[datetime(2026, 7, 1, 12, tzinfo=ZoneInfo("Europe/Berlin")).isoformat(), len(available_timezones()) > 300]`;
    expect((await run(code)).value).toEqual(['2026-07-01T12:00:00+02:00', true]);
  });

  test('can fetch only from granted hosts, with pyfetch', async () => {
    const fetcher = {
      fetch: ({ url }: { url: string }) =>
        Promise.resolve({ url, status: 200, statusText: 'OK', headers: [], body: Buffer.from('{"a":1}') }),
      close: () => Promise.resolve(),
    };
    const permissions = { ...noPermissions, net: ['example.com'] };
    const code =
      'from pyodide.http import pyfetch\nresponse = await pyfetch("https://example.com/")\nawait response.json()';
    expect(await run(code, { permissions, fetcher })).toMatchObject({ status: 'succeeded', value: { a: 1 } });
    expect((await run(code)).error?.message).toContain('Ask for the host in permissions.net');
  });

  test('refuse permissions for files', async () => {
    const read = [{ path: '/tmp', handle: { fd: -1 }, hidden: [] }];
    const permissions = { ...noPermissions, read };
    await expect(run('1', { permissions })).rejects.toMatchObject({ code: 'invalid_argument' });
  });
});
