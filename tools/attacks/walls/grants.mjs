/** Granted files and folders, which are held open, and files that are never granted. */
const executor = (name) => `libs/executor/src/grants/${name}.ts`;
const ceiling = executor('path-ceiling');
const openPath = executor('open-path');
const strict = 'libs/isolation/src/strict/strict-command.ts';
const beneath = 'libs/sandbox-channel/src/calls/open-beneath.ts';
const fileHandlers = 'libs/sandbox-channel/src/calls/files.ts';

export const grants = {
  'links on the way to a grant are refused': {
    edits: [
      [openPath, 'pathOnly | constants.O_NOFOLLOW', 'pathOnly'],
      [openPath, '(await held.stat()).isSymbolicLink()', 'false'],
    ],
    attacks: ['TS-20', 'GRT-03'],
  },
  'folders of the configuration stay open': {
    edits: [[ceiling, 'openBeneath(root.descriptor,', 'openBeneath(openSync(root.names[0], pathOnly),']],
    attacks: ['GRT-04'],
  },
  'no link of a program in the configuration': {
    edits: [[ceiling, 'isInside(dirname(link), folder)', 'false']],
    attacks: ['GRT-04'],
  },
  'grants are mounted by descriptor': {
    edits: [
      [strict, `'--ro-bind-fd', String(descriptor++), path`, `'--ro-bind', (descriptor++, path), path`],
    ],
    attacks: ['GRT-03'],
  },
  'the configuration is not granted': {
    edits: [[ceiling, 'if (isWithheld)', 'if (false)']],
    attacks: ['GRT-06'],
  },
  'the configuration is not to be written': {
    edits: [[ceiling, `kind === 'write' && held.length > 0`, 'false']],
    attacks: ['GRT-06'],
  },
  'the configuration is hidden': {
    edits: [[ceiling, `kind === 'file' || kind === 'folder'`, 'false']],
    attacks: ['GRT-06'],
  },
  'the configuration is hidden in strict isolation': {
    edits: [[strict, 'hidden.flatMap(', '[].flatMap(']],
    attacks: ['GRT-06'],
  },
  'the configuration is hidden in portable isolation': {
    edits: [[beneath, 'grant.hidden.some(', '[].some(']],
    attacks: ['GRT-06'],
  },
  'file systems of the kernel are not granted': {
    edits: [['libs/executor/src/grants/kernel-mounts.ts', 'kernelTypes.has(type)', 'false']],
    attacks: ['GRT-07'],
  },
  'nothing is granted over the scratch space': {
    edits: [[strict, `scratch = '/app/scratch'`, `scratch = '/tmp'`]],
    attacks: ['GRT-05'],
  },
  'folders of other runs are not granted': {
    edits: [[beneath, 'wanted.split(sep).some(isWithheld)', 'false']],
    attacks: ['GRT-05'],
  },
  'set-user-id files are not written to': {
    edits: [[fileHandlers, '(stats.mode & setIdBits) !== 0', 'false']],
    attacks: ['GRT-02'],
  },
};
