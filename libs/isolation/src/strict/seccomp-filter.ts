import {
  absentSystemCalls,
  newestSystemCall,
  refusedByArgument,
  refusedSystemCalls,
} from './refused-system-calls.js';

/** Per architecture: its audit number, its column in the tables, and the call that is allowed with one flag only. */
const architectures = {
  x64: { audit: 0xc000003e, column: 0, clone: 56 },
  arm64: { audit: 0xc00000b7, column: 1, clone: 220 },
} as const;

/** Classic BPF, as the kernel's seccomp(2) describes it. */
const LOAD = 0x20; // BPF_LD | BPF_W | BPF_ABS
const JUMP_EQUAL = 0x15;
const JUMP_GREATER_EQUAL = 0x35;
const JUMP_BITS_SET = 0x45;
const RETURN = 0x06;

const ALLOW = 0x7fff0000;
const KILL_PROCESS = 0x80000000;
const REFUSE_EPERM = 0x00050001;
const REFUSE_ENOSYS = 0x00050026;

/** Offsets in `struct seccomp_data`. */
const NUMBER = 0;
const ARCHITECTURE = 4;
/** The offset of the low half, because no argument that is checked is wider. */
const argumentAt = (index: number) => 16 + 8 * index;

const CLONE_THREAD = 0x00010000;
/** Calls of the x32 ABI carry this bit, so their numbers would match none in the table. */
const X32_BIT = 0x40000000;

type Instruction = readonly [operation: number, ifTrue: number, ifFalse: number, operand: number];

/** Whether {@link seccompFilter} knows this `process.arch`; on others strict isolation is refused. */
export function hasSeccompFilter(arch: string): arch is keyof typeof architectures {
  return Object.hasOwn(architectures, arch);
}

/**
 * The compiled seccomp filter for isolated processes. Threads, files and memory work; new processes, sockets, links and
 * everything else in {@link refusedSystemCalls} answer EPERM; a call of another architecture kills the process.
 */
export function seccompFilter(arch: keyof typeof architectures): Buffer {
  const { audit, column, clone } = architectures[arch];
  const program: Instruction[] = [
    [LOAD, 0, 0, ARCHITECTURE],
    [JUMP_EQUAL, 1, 0, audit],
    [RETURN, 0, 0, KILL_PROCESS],
    [LOAD, 0, 0, NUMBER],
  ];
  if (arch === 'x64') program.push([JUMP_GREATER_EQUAL, 0, 1, X32_BIT], [RETURN, 0, 0, KILL_PROCESS]);
  for (const numbers of Object.values(refusedSystemCalls)) {
    const number = numbers[column];
    if (number !== null) program.push([JUMP_EQUAL, 0, 1, number], [RETURN, 0, 0, REFUSE_EPERM]);
  }
  program.push([JUMP_GREATER_EQUAL, 0, 1, newestSystemCall + 1], [RETURN, 0, 0, REFUSE_ENOSYS]);
  for (const numbers of Object.values(absentSystemCalls)) {
    program.push([JUMP_EQUAL, 0, 1, numbers[column]], [RETURN, 0, 0, REFUSE_ENOSYS]);
  }
  for (const [x64, arm64, argument, bits] of Object.values(refusedByArgument)) {
    const number = [x64, arm64][column] ?? null;
    if (number === null) continue;
    program.push(
      [JUMP_EQUAL, 0, 4, number],
      [LOAD, 0, 0, argumentAt(argument)],
      [JUMP_BITS_SET, 0, 1, bits],
      [RETURN, 0, 0, REFUSE_EPERM],
      [RETURN, 0, 0, ALLOW],
    );
  }
  program.push(
    [JUMP_EQUAL, 0, 3, clone],
    [LOAD, 0, 0, argumentAt(0)],
    [JUMP_BITS_SET, 1, 0, CLONE_THREAD],
    [RETURN, 0, 0, REFUSE_EPERM],
    [RETURN, 0, 0, ALLOW],
  );
  return encode(program);
}

function encode(program: readonly Instruction[]): Buffer {
  const bytes = Buffer.alloc(program.length * 8);
  program.forEach(([operation, ifTrue, ifFalse, operand], index) => {
    bytes.writeUInt16LE(operation, index * 8);
    bytes.writeUInt8(ifTrue, index * 8 + 2);
    bytes.writeUInt8(ifFalse, index * 8 + 3);
    bytes.writeUInt32LE(operand, index * 8 + 4);
  });
  return bytes;
}
