/** Limits that the kernel enforces, and limits that the server enforces. */
const ulimits = 'libs/isolation/src/resource-limits.ts';
const isolated = 'libs/isolation/src/process/isolated-process.ts';
const program = 'libs/deno-runtime/src/program-run.ts';
const output = 'libs/deno-runtime/src/program-output.ts';
const hostCalls = 'libs/sandbox-channel/src/host-calls.ts';
const reply = 'libs/sandbox-channel/src/replies/reply.ts';
const unreadReplies = 'libs/sandbox-channel/src/replies/unread-replies.ts';
const frameReader = 'libs/sandbox-channel/src/frames/frame-reader.ts';
const messageLimits = 'libs/client-pool/src/transport/message-limits.ts';
const files = 'libs/sandbox-channel/src/calls/files.ts';

const without = (option) => [ulimits, new RegExp("\\s*['`]ulimit -" + option + '.*,'), ''];
const longFrames = [frameReader, 'maxFrameBytes = 1024 * 1024', 'maxFrameBytes = 2 ** 40'];

export const limits = {
  'ulimit -c': { edits: [without('c')], attacks: ['OS-05'] },
  'ulimit -d': { edits: [without('d')], attacks: ['OS-05'] },
  'ulimit -f': { edits: [without('f')], attacks: ['OS-05', 'OS-16'] },
  'ulimit -n': { edits: [without('n')], attacks: ['OS-05'] },
  'ulimit -t': { edits: [without('t')], attacks: ['OS-05', 'LIM-07'] },
  'wall clock': {
    edits: [[program, 'new RunClock(timeoutMs,', 'new RunClock(1e9,']],
    attacks: ['TS-45'],
  },
  'SIGKILL if SIGTERM did not help': {
    edits: [[isolated, `this.#signal('SIGKILL');\n    await this.exit`, 'await this.exit']],
    attacks: ['RUN-02'],
  },
  'the kill of the whole group': {
    edits: [[isolated, 'pid : -pid', 'pid : pid']],
    attacks: ['RUN-04'],
  },
  'bytes of output': {
    edits: [[isolated, 'this.#outputBytes <= this.#maxOutputBytes', 'true']],
    attacks: ['LIM-05'],
  },
  'characters of output': {
    edits: [[output, 'new OutputBuffer(maxChars)', 'new OutputBuffer(1e9)']],
    attacks: ['LIM-05'],
  },
  'bytes of a frame': {
    edits: [longFrames],
    attacks: ['PIP-04'],
    redundant: 'the cost of a frame counts its bytes, too',
  },
  'bytes and cost of a frame': {
    edits: [longFrames, [frameReader, 'maxFrameCost = 6', 'maxFrameCost = 1e6']],
    attacks: ['PIP-04'],
  },
  'cost of a frame, and of calls that wait': {
    edits: [
      [frameReader, 'maxFrameCost = 6', 'maxFrameCost = 1e6'],
      [hostCalls, 'maxOutstandingCost = 8', 'maxOutstandingCost = 1e6'],
    ],
    attacks: ['PIP-15'],
  },
  'bytes of unread replies': {
    edits: [[unreadReplies, 'maxOfAll = 64', 'maxOfAll = 1e6']],
    attacks: ['PIP-16'],
  },
  'requests of an upstream server': {
    edits: [['libs/client-pool/src/transport/answer-limit.ts', 'maxUntaken = 100', 'maxUntaken = 1e9']],
    attacks: ['CFG-24'],
  },
  'cost of an answer': {
    edits: [[messageLimits, 'maxMessageCost = 32', 'maxMessageCost = 1e6']],
    attacks: ['PRX-45'],
  },
  'texts of results are parsed by the sandbox': {
    edits: [[reply, '{ id, text: value.text }', '{ id, value: JSON.parse(value.text) }']],
    attacks: ['PRX-48'],
  },
  'bytes of a reply': {
    edits: [[reply, 'maxReplyBytes = 16', 'maxReplyBytes = 1e6']],
    attacks: ['PRX-19'],
  },
  'calls that wait': {
    edits: [[hostCalls, ' || this.#outstanding >= maxOutstandingCalls', '']],
    attacks: ['PIP-05'],
  },
  'records of a program': {
    edits: [['libs/proxy/src/calls/record-limit.ts', 'maxAlike = 100', 'maxAlike = 1e9']],
    attacks: ['PIP-13'],
  },
  'refused calls are recorded': {
    edits: [
      [
        'libs/proxy/src/calls/call-log.ts',
        '!this.#limit.admits({ type, status, ...(errorCode && { errorCode }) })',
        'true',
      ],
    ],
    attacks: ['PIP-13'],
  },
  'the number of omitted records': {
    edits: [['libs/executor/src/execution-run.ts', 'this.#proxy?.tellOmitted();', '']],
    attacks: ['PIP-13'],
  },
  'files and listings at once': {
    edits: [[hostCalls, 'defaultMaxAtOnce = 4', 'defaultMaxAtOnce = 1e9']],
    attacks: ['PIP-06'],
  },
  'bytes on disk': { edits: [[program, 'bytes > maxDiskBytes', 'false']], attacks: ['TS-15'] },
  'bytes of a file': { edits: [[files, 'stats.size > maxFileBytes', 'false']], attacks: ['TS-44'] },
  'entries of a folder': { edits: [[files, 'entries.length > maxEntries', 'false']], attacks: ['TS-44'] },
};
