/** The seccomp filter as a whole, its special rules, and each group of its table. */
const strict = 'libs/isolation/src/strict/strict-command.ts';
const filter = 'libs/isolation/src/strict/seccomp-filter.ts';
const table = 'libs/isolation/src/strict/refused-system-calls.ts';

/** The groups of the table, named by its comments. */
const groups = {
  'other processes': 'Other processes',
  'new processes': 'New processes',
  sockets: 'Sockets',
  'mounts and name spaces': 'Mounts',
  'links and attributes': 'Links',
  'handles, devices, accounting': 'Files by handle',
  kernel: 'Kernel',
  'shared memory and queues': 'Shared memory',
};

export const systemCalls = {
  '--seccomp': { edits: [[strict, `'--seccomp', '3', `, '']], attacks: ['OS-02', 'OS-09'] },
  ...Object.fromEntries(
    Object.entries(groups).map(([name, comment]) => [
      `the filter's table: ${name}`,
      // Removes the text from one comment to the next, or to the end of the table.
      {
        edits: [[table, new RegExp(`  // ${comment}[^]*?(?=  // [A-Z][^.]*[.:]|};)`), '']],
        attacks: ['OS-13'],
      },
    ]),
  ),
  'the filter refuses clone3': {
    edits: [[filter, 'REFUSE_ENOSYS = 0x00050026', 'REFUSE_ENOSYS = 0x7fff0000']],
    attacks: ['OS-10'],
  },
  'the filter refuses openat2': { edits: [[table, /openat2: .*\n/, '']], attacks: ['OS-13'] },
  'the filter refuses later calls': {
    edits: [[table, 'newestSystemCall = 462', 'newestSystemCall = 4000']],
    attacks: ['OS-13'],
  },
  'the filter looks at modes': {
    edits: [[table, 'S_ISVTX = 0o7000', 'S_ISVTX = 0']],
    attacks: ['OS-13'],
  },
  'the filter looks at renames': {
    edits: [[table, 'RENAME_WHITEOUT = 4', 'RENAME_WHITEOUT = 0']],
    attacks: ['OS-13'],
  },
  'the filter looks into clone': {
    edits: [[filter, 'CLONE_THREAD = 0x00010000', 'CLONE_THREAD = 0xffffffff']],
    attacks: ['OS-10'],
  },
  'the filter knows x32': {
    edits: [[filter, 'X32_BIT = 0x40000000', 'X32_BIT = 0x7fffffff']],
    attacks: ['OS-14'],
  },
  'the filter knows other architectures': {
    edits: [[filter, '[JUMP_EQUAL, 1, 0, audit]', '[JUMP_EQUAL, 1, 1, audit]']],
    attacks: ['OS-14'],
  },
};
