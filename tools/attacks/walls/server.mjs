/** What the server accepts from a program, and which files it opens for it. */
const runtimeFile = (name) => `libs/deno-runtime/src/${name}.ts`;
const channelFile = (name) => `libs/sandbox-channel/src/${name}.ts`;
const program = runtimeFile('program-run');
const hostCalls = channelFile('host-calls');
const output = channelFile('frames/sandbox-output');
const frame = channelFile('frames/sandbox-frame');
const messages = 'libs/pipes/src/message-buffer.ts';
const beneath = channelFile('calls/open-beneath');
const files = channelFile('calls/files');
const grants = 'libs/isolation/src/grants.ts';
const isolation = 'libs/isolation/src/choose-isolation.ts';
const ceiling = 'libs/executor/src/grants/path-ceiling.ts';
const permissions = 'libs/executor/src/grants/permission-ceiling.ts';
const parameters = 'libs/executor/src/execute-parameters.ts';

export const server = {
  'a nonce per process': {
    edits: [[output, `randomBytes(16).toString('hex')`, `'0'.repeat(32)`]],
    attacks: ['PIP-09'],
  },
  'one result': { edits: [[program, 'if (this.result || charsOf', 'if (charsOf']], attacks: ['PIP-01'] },
  'the bytes of a returned picture decide on its type': {
    edits: [
      [
        'libs/executor/src/returned-pictures.ts',
        'pictureTypeOf(bytes) :',
        "(pictureTypeOf(bytes) ?? 'text/html') :",
      ],
    ],
    attacks: ['TS-52', 'PY-36'],
  },
  'characters of a result': {
    edits: [[program, 'charsOf(frame.value) > this.#options.maxOutputChars', 'false']],
    attacks: ['PIP-08'],
  },
  'nothing is called after the result': {
    edits: [[program, 'this.result || !this.#hostCalls.accept', '!this.#hostCalls.accept']],
    attacks: ['PIP-01'],
  },
  'call IDs increase': {
    edits: [[hostCalls, 'call.id <= this.#lastId || ', '']],
    attacks: ['TS-37'],
  },
  'frames are of known types': {
    edits: [[frame, 'default:\n      return undefined', `default:\n      return { type: 'started' }`]],
    attacks: ['PIP-03'],
  },
  'depth of a frame': {
    edits: [[messages, ' || this.#meter.depth > maxJsonDepth', '']],
    attacks: ['PIP-03'],
  },
  'an error is not longer than the bootstrap makes it': {
    edits: [[frame, 'message.slice(0, maxErrorChars)', 'message']],
    attacks: ['PIP-08'],
  },
  'a note is short': { edits: [[frame, 'note.slice(0, 1000)', 'note']], attacks: ['PIP-08'] },
  'errors have the codes of programs': {
    edits: [[frame, `typeof code === 'string' && programErrorCodes.includes(code)`, 'true']],
    attacks: ['PIP-08'],
  },
  'paths are replaced in messages': {
    edits: [[runtimeFile('hide-paths'), 'result.replaceAll(form, shown)', '(shown ? result : form)']],
    attacks: ['TS-42', 'TS-21'],
  },
  'links are not followed on the way': {
    edits: [[beneath, 'constants.O_DIRECTORY | constants.O_NOFOLLOW', 'constants.O_DIRECTORY']],
    attacks: ['TS-11'],
  },
  'links are not followed at the end': {
    edits: [[beneath, 'isGrant ? 0 : constants.O_NOFOLLOW', '0']],
    attacks: ['TS-11'],
  },
  'the server does not wait for pipes': {
    edits: [[beneath, 'follow | constants.O_NONBLOCK', 'follow']],
    attacks: ['TS-26'],
  },
  'regular files only': { edits: [[files, '!stats.isFile()', 'false']], attacks: ['TS-26'] },
  'paths stay beneath their grant': {
    edits: [[beneath, 'path.startsWith(join(folder, sep))', 'path.startsWith(folder)']],
    attacks: ['TS-16'],
  },
  'paths are resolved': {
    edits: [[beneath, 'const wanted = resolve(path)', 'const wanted = path']],
    attacks: ['TS-16'],
  },
  'a grant to read is not a grant to write': {
    edits: [[files, /serving\('write'/g, "serving('read'"]],
    attacks: ['TS-16'],
  },
  'the server grants only what its configuration allows': {
    edits: [[ceiling, '.filter(({ name }) => isInside(path, name))', '']],
    attacks: ['TS-20'],
  },
  'hosts that the server grants': {
    edits: [[permissions, 'const isGranted = ', 'const isGranted = true || ']],
    attacks: ['PRX-22'],
  },
  "the kernel's trees are never granted": {
    edits: [[grants, `return path === '/' || reserved.some`, 'return [].some']],
    attacks: ['TS-46'],
  },
  'required isolation is never replaced': {
    edits: [[isolation, `if (isolation === 'auto')`, 'if (isolation)']],
    attacks: ['ALL-05'],
  },
  'Deno is new enough': {
    edits: [[runtimeFile('find-deno'), '!version || compareVersions(version, minimum) < 0', '!version']],
    attacks: ['ALL-05'],
  },
  'characters of a program': { edits: [[parameters, '.max(maxCodeSize)', '']], attacks: ['TS-51'] },
  'programs are text': {
    edits: [[parameters, '.max(maxCodeSize).refine(isText)', '.max(maxCodeSize)']],
    attacks: ['TS-51'],
  },
  'the longest timeout': { edits: [[parameters, '.max(maxTimeoutMs)', '']], attacks: ['TS-45'] },
  'executions at once': {
    edits: [['libs/executor/src/execution-queue.ts', 'concurrency: maxConcurrent', 'concurrency: 1000']],
    attacks: ['ALL-04'],
  },
  'executions that wait': {
    edits: [['libs/executor/src/execution-queue.ts', 'waiting >= this.#maxQueued', 'false']],
    attacks: ['ALL-04'],
  },
};
