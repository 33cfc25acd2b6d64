/** Each flag of bubblewrap, and what every process inherits from its parent. */
const strict = 'libs/isolation/src/strict/strict-command.ts';
const portable = 'libs/isolation/src/portable/portable-command.ts';
const folder = 'libs/isolation/src/portable/server-folder.ts';
const isolated = 'libs/isolation/src/process/isolated-process.ts';
const inherited = 'libs/isolation/src/process/inherited-descriptors.ts';

/** The first mount; edits add others before it. */
const firstMount = `...['--dir', '/proc/self'`;
const alsoMounted = (...words) => [
  strict,
  firstMount,
  `...[${words.map((word) => `'${word}'`).join(', ')}], ${firstMount}`,
];
const spaces = ['user-try', 'ipc', 'pid', 'net', 'uts', 'cgroup-try'];
/** Unshares all namespaces except one. */
const shared = (name) => [
  strict,
  `'--unshare-all'`,
  spaces.flatMap((space) => (space === name ? [] : [`'--unshare-${space}'`])).join(', '),
];
const noUser = [strict, `'--unshare-user', `, ''];
const noHostName = [strict, `, '--hostname', 'sandbox'`, ''];
const noUsersInside = [strict, `, '--disable-userns'`, ''];
const clearsNothing = [strict, `'--clearenv', `, ''];
const everyVariable = [strict, 'env: shellEnvironment }', 'env: { ...process.env } }'];

export const operatingSystem = {
  '--unshare-user': {
    edits: [noUser],
    attacks: ['OS-01'],
    redundant: 'bubblewrap refuses --disable-userns without it, so that nothing runs',
  },
  '--unshare-user and --disable-userns': { edits: [noUser, noUsersInside], attacks: ['OS-18'] },
  '--disable-userns': { edits: [noUsersInside], attacks: ['OS-18'] },
  '--unshare-all: processes': { edits: [shared('pid')], attacks: ['OS-01', 'OS-15'] },
  '--unshare-all: network': { edits: [shared('net')], attacks: ['OS-01', 'OS-18'] },
  '--unshare-all: System V': { edits: [shared('ipc')], attacks: ['OS-01'] },
  '--unshare-all: cgroups': { edits: [shared('cgroup-try')], attacks: ['OS-01'] },
  '--unshare-all: host name': { edits: [shared('uts'), noHostName], attacks: ['OS-01', 'OS-15'] },
  '--hostname': { edits: [noHostName], attacks: ['OS-15'] },
  '--die-with-parent': { edits: [[strict, `'--die-with-parent', `, '']], attacks: ['RUN-03'] },
  '--clearenv': { edits: [clearsNothing], attacks: ['OS-03'] },
  'bubblewrap gets one variable': { edits: [everyVariable], attacks: ['ALL-07'] },
  '--clearenv and one variable': { edits: [clearsNothing, everyVariable], attacks: ['OS-03', 'TS-32'] },
  '--cap-drop': { edits: [[strict, `, '--cap-drop', 'ALL'`, '']], attacks: ['OS-02'] },
  'libraries are read-only': {
    edits: [[strict, `['--ro-bind', library`, `['--bind', library`]],
    attacks: ['OS-06'],
  },
  'the runtime is read-only': {
    edits: [[strict, `['--ro-bind', program.path`, `['--bind', program.path`]],
    attacks: ['OS-06'],
  },
  'the product is read-only': {
    edits: [[strict, `['--ro-bind', path, `, `[name === 'rt' ? '--bind' : '--ro-bind', path, `]],
    attacks: ['OS-06', 'OS-16'],
  },
  'grants to read are read-only': {
    edits: [[strict, `['--ro-bind-fd', String`, `['--bind-fd', String`]],
    attacks: ['OS-06'],
  },
  'the product is mounted alone': {
    edits: [
      [
        strict,
        `['--ro-bind', path, `,
        `[...(name === 'rt' ? ['--ro-bind', path.replace(/.libs.*/, ''), '/app/src'] : []), '--ro-bind', path, `,
      ],
    ],
    attacks: ['OS-06'],
  },
  'no /proc': {
    edits: [
      [
        strict,
        `['--dir', '/proc/self', '--symlink', inside.program, '/proc/self/exe']`,
        `['--ro-bind', '/proc', '/proc']`,
      ],
    ],
    attacks: ['OS-06', 'OS-15'],
  },
  'no /dev': { edits: [alsoMounted('--dev', '/dev')], attacks: ['OS-06', 'OS-15'] },
  'no /etc': { edits: [alsoMounted('--ro-bind', '/etc', '/etc')], attacks: ['OS-06', 'OS-15'] },
  'no files of the host': { edits: [alsoMounted('--ro-bind', '/', '/host')], attacks: ['OS-06', 'OS-15'] },
  'scratch space in memory': {
    edits: [[strict, `'--size', String(tmpfsBytes), '--tmpfs', scratch`, `'--bind', '/tmp', scratch`]],
    attacks: ['OS-15'],
  },
  '--size': { edits: [[strict, `'--size', String(tmpfsBytes), `, '']], attacks: ['OS-16'] },
  '--chdir': { edits: [[strict, `'--chdir', scratch, `, '']], attacks: ['OS-15'] },
  '--remount-ro /': { edits: [[strict, `, '--remount-ro', '/'`, '']], attacks: ['OS-06', 'OS-16'] },
  '--uid': { edits: [[strict, `'--uid', '65534', `, '']], attacks: ['OS-15'] },
  '--gid': { edits: [[strict, `'--gid', '65534', `, '']], attacks: ['OS-15'] },

  'no inherited descriptors': {
    edits: [[inherited, 'for (const descriptor of inherited)', 'for (const descriptor of [])']],
    attacks: ['OS-04', 'TS-33'],
  },
  'each process has its own group and session': {
    edits: [[isolated, 'detached: true', 'detached: false']],
    attacks: ['OS-07'],
  },
  'setpriv ends the process with the server': {
    edits: [[portable, `['/usr/bin/setpriv', '--pdeathsig', 'KILL']`, '[]']],
    attacks: ['RUN-03'],
  },
  'portable isolation sets the variables': {
    edits: [[portable, 'env: { ...env }', 'env: { ...process.env, ...env }']],
    attacks: ['OS-03', 'TS-32'],
  },
  'each process has its own working folder': {
    edits: [[portable, 'cwd: folder.workDir', `cwd: '/'`]],
    attacks: ['OS-08'],
  },
  'other users cannot enter the folder': {
    edits: [
      [folder, /mkdtempSync\((join\(.*\))\)/, 'mkdirSync($1 + String(Math.random()), { recursive: true })'],
    ],
    attacks: ['OS-08'],
  },
};
