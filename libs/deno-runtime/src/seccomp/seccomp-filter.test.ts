import { describe, expect, test } from '@jest/globals';

import { refusedSystemCalls } from './refused-system-calls.js';
import { hasSeccompFilter, seccompFilter } from './seccomp-filter.js';

const allow = 0x7fff0000;
const eperm = 0x00050001;
const enosys = 0x00050026;
const kill = 0x80000000;
const audit = { x64: 0xc000003e, arm64: 0xc00000b7 };

/** Runs a filter as the kernel does, on one system call. */
function judge(filter: Buffer, call: { arch: number; number: number; argument?: number }): number {
  const data = new Map([
    [0, call.number],
    [4, call.arch],
    [16, call.argument ?? 0],
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
  const on = (number: number, argument?: number) =>
    judge(filter, { arch: audit[arch], number, ...(argument !== undefined && { argument }) });

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
