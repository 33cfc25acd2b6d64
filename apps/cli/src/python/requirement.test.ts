import { describe, expect, test } from '@jest/globals';

import { markerHolds } from './marker.js';
import { parseRequirement } from './requirement.js';
import { Target } from './target.js';
import { parseWheelName } from './wheel-name.js';

const target = new Target({
  abi_version: '2026_0',
  arch: 'wasm32',
  platform: 'emscripten_5_0_3',
  python: '3.14.2',
});

describe('parseRequirement', () => {
  test.each<[string, object]>([
    ['Zope.Interface', { name: 'zope-interface', extras: [], specifier: '' }],
    [' a >= 1.0, != 1.5 ', { name: 'a', extras: [], specifier: '>= 1.0, != 1.5' }],
    ['a (==1.*)', { name: 'a', extras: [], specifier: '==1.*' }],
    [
      'a[X_y, z]~=1.2 ; os_name == "nt"',
      { name: 'a', extras: ['x-y', 'z'], specifier: '~=1.2', marker: 'os_name == "nt"' },
    ],
    ['a;python_version>"3"', { name: 'a', extras: [], specifier: '', marker: 'python_version>"3"' }],
  ])('parses %j', (text, requirement) => {
    expect(parseRequirement(text)).toEqual(requirement);
  });

  test.each([
    '',
    '-a',
    'a-',
    'a b',
    'a==',
    'a=1',
    'a[',
    'a[b',
    'a[!]',
    'a @ file:///x',
    '../a',
    'a\0',
    'é',
    'a'.repeat(5000),
  ])('refuses %j', (text) => {
    expect(() => parseRequirement(text)).toThrow('is not a package requirement');
  });
});

describe('markerHolds', () => {
  const holds = (marker: string, extra = '') => markerHolds(marker, target.markerEnvironment(extra));

  test.each<[string, boolean]>([
    ['python_version < "3.9"', false],
    ['python_version >= "3.9"', true],
    ['"3.9" <= python_version', true],
    ['python_full_version == "3.14.*"', true],
    ['sys_platform == "emscripten"', true],
    ["platform_machine != 'wasm32'", false],
    ['platform_system in "Linux Emscripten"', true],
    ['"win" not in sys_platform', true],
    ['extra == "test"', false],
    ['os_name == "nt" or sys_platform == "win32" and python_version > "3"', false],
    ['os_name == "posix" or os_name == "nt" and python_version < "3"', true],
    ['(os_name == "posix" or os_name == "nt") and python_version < "3"', false],
    ['implementation_name=="cpython"and(python_version>"2")', true],
  ])('evaluates %s to %j', (marker, expected) => {
    expect(holds(marker)).toBe(expected);
  });

  test('evaluates the marker of an extra', () => {
    expect(holds('extra == "test"', 'test')).toBe(true);
  });

  test.each([
    '',
    'python_version',
    'nonsense == "1"',
    'python_version = "3"',
    '"a" < "b"',
    'a;b',
    '('.repeat(100),
    'os_name == "a" os_name',
    "os_name not == 'x'",
  ])('refuses %j', (marker) => {
    expect(() => holds(marker)).toThrow('is not a PEP 508 marker');
  });
});

describe('Target.rankOf', () => {
  const rank = (fileName: string) => target.rankOf(parseWheelName(fileName)?.tags ?? []);

  test.each([
    'a-1-py3-none-any.whl',
    'a-1-py2.py3-none-any.whl',
    'a-1-py314-none-any.whl',
    'a-1-cp314-cp314-pyemscripten_2026_0_wasm32.whl',
    'a-1-cp314-cp314-pyodide_2026_0_wasm32.whl',
    'a-1-cp314-cp314-emscripten_5_0_3_wasm32.whl',
    'a-1-cp39-abi3-pyemscripten_2026_0_wasm32.whl',
  ])('accepts %s', (fileName) => {
    expect(rank(fileName)).toBeGreaterThanOrEqual(0);
  });

  test.each([
    'a-1-py2-none-any.whl',
    'a-1-cp313-cp313-pyemscripten_2026_0_wasm32.whl',
    'a-1-cp314-cp314-pyemscripten_2025_0_wasm32.whl',
    'a-1-cp314-cp314t-pyemscripten_2026_0_wasm32.whl',
    'a-1-cp314-cp314-manylinux_2_17_x86_64.whl',
    'a-1-py3-none-macosx_11_0_arm64.whl',
  ])('refuses %s', (fileName) => {
    expect(parseWheelName(fileName)).toBeDefined();
    expect(rank(fileName)).toBeUndefined();
  });

  test('prefers a wheel that was built for this platform', () => {
    const built = rank('a-1-cp314-cp314-pyemscripten_2026_0_wasm32.whl') ?? Infinity;
    expect(built).toBeLessThan(rank('a-1-py3-none-any.whl') ?? -1);
  });
});

describe('parseWheelName', () => {
  test.each([
    'a-1.whl',
    'a-1-py3-none-any.zip',
    '../a-1-py3-none-any.whl',
    'a/b-1-py3-none-any.whl',
    'a-x-py3-none-any.whl',
    'a-1-b-py3-none-any.whl',
    'a-1-py3-none-any\n.whl',
    `${'a'.repeat(300)}-1-py3-none-any.whl`,
    `a-1-${Array(3).fill('p.q.r.s.t.u.v.w.x.y.z').join('-')}.whl`,
  ])('refuses %j', (fileName) => {
    expect(parseWheelName(fileName)).toBeUndefined();
  });
});
