import { describe, expect, test } from '@jest/globals';

import { newestSystemCall, refusedByArgument, refusedSystemCalls } from './refused-system-calls.js';
import { hasSeccompFilter, seccompFilter } from './seccomp-filter.js';

const allow = 0x7fff0000;
const eperm = 0x00050001;
const enosys = 0x00050026;
const kill = 0x80000000;
const audit = { x64: 0xc000003e, arm64: 0xc00000b7 };

/** Runs a filter as the kernel does, on one system call. */
function judge(
  filter: Buffer,
  call: { arch: number; number: number; arguments?: readonly number[] },
): number {
  const data = new Map([
    [0, call.number],
    [4, call.arch],
    ...(call.arguments ?? []).map((value, index): [number, number] => [16 + 8 * index, value]),
  ]);
  let accumulator = 0;
  for (let index = 0; index < filter.length / 8; index++) {
    const operation = filter.readUInt16LE(index * 8);
    const operand = filter.readUInt32LE(index * 8 + 4);
    const jump = (condition: boolean) => (index += filter.readUInt8(index * 8 + (condition ? 2 : 3)));
    if (operation === 0x20) accumulator = data.get(operand) ?? Number.NaN;
    else if (operation === 0x15) jump(accumulator === operand);
    else if (operation === 0x35) jump(accumulator >= operand);
    else if (operation === 0x45) jump((accumulator & operand) !== 0);
    else if (operation === 0x06) return operand;
    else throw new Error(`unknown operation ${operation}`);
  }
  throw new Error('ran past the end');
}

describe.each(['x64', 'arm64'] as const)('seccompFilter for %s', (arch) => {
  const filter = seccompFilter(arch);
  const column = arch === 'x64' ? 0 : 1;
  const on = (number: number, ...args: number[]) =>
    judge(filter, { arch: audit[arch], number, arguments: args });

  test('refuses every call of the table', () => {
    for (const numbers of Object.values(refusedSystemCalls)) {
      const number = numbers[column];
      if (number !== null) expect(on(number)).toBe(eperm);
    }
  });

  test('allows reading, writing, mapping memory and exec, which bubblewrap itself needs', () => {
    const numbers = arch === 'x64' ? [0, 1, 9, 59, 202, 231] : [63, 64, 222, 221, 98, 94];
    for (const number of numbers) expect(on(number)).toBe(allow);
  });

  test('allows new threads and refuses new processes', () => {
    const clone = arch === 'x64' ? 56 : 220;
    expect(on(clone, 0x3d0f00)).toBe(allow);
    expect(on(clone, 17)).toBe(eperm);
    expect(on(clone, 0x10000000 | 17)).toBe(eperm);
    expect(on(435)).toBe(enosys);
  });

  test('refuses the setuid, setgid and sticky bits in every mode, and no other bits', () => {
    for (const [name, [x64, arm64, argument, bits]] of Object.entries(refusedByArgument)) {
      const number = [x64, arm64][column] ?? null;
      if (number === null || name === 'renameat2') continue;
      const withMode = (mode: number) => on(number, ...[7, 7, 7, 7, 7, 7].with(argument, mode));
      expect(bits).toBe(0o7000);
      for (const mode of [0o4755, 0o2000, 0o1777, 0o7777]) expect(withMode(mode)).toBe(eperm);
      for (const mode of [0o777, 0o644, 0, 0o100600]) expect(withMode(mode)).toBe(allow);
    }
  });

  test('allows renameat2 to rename and to exchange files, and refuses whiteouts', () => {
    const renameat2 = arch === 'x64' ? 316 : 276;
    expect([0, 1, 2].map((flags) => on(renameat2, 0, 0, 0, 0, flags))).toEqual([allow, allow, allow]);
    expect([4, 5].map((flags) => on(renameat2, 0, 0, 0, 0, flags))).toEqual([eperm, eperm]);
  });

  test('answers ENOSYS to openat2 and to calls that are newer than the table', () => {
    expect([437, newestSystemCall + 1, 4000].map((number) => on(number))).toEqual([enosys, enosys, enosys]);
    expect(on(newestSystemCall)).toBe(allow);
  });

  test('kills calls of another architecture', () => {
    const other = arch === 'x64' ? audit.arm64 : audit.x64;
    expect(judge(filter, { arch: other, number: 0 })).toBe(kill);
    expect(judge(filter, { arch: 0x40000003, number: 0 })).toBe(kill);
  });
});

test('seccompFilter kills calls of the x32 ABI', () => {
  expect(judge(seccompFilter('x64'), { arch: audit.x64, number: 0x40000000 + 41 })).toBe(kill);
});

test('hasSeccompFilter knows x64 and arm64 only', () => {
  expect(['x64', 'arm64', 'ia32', 'riscv64', 'toString', ''].map(hasSeccompFilter)).toEqual([
    true,
    true,
    false,
    false,
    false,
    false,
  ]);
});
