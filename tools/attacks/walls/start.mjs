/** How the server checks its configuration, hides secrets, starts upstream servers and writes the audit log. */
const config = (name) => `libs/config/src/${name}.ts`;
const files = (name) => `libs/files/src/${name}.ts`;
const readFile = files('read-regular-file');
const ownership = files('ownership');
const parseJson = config('parse-json');
const problems = config('schema-problems');
const pool = (name) => `libs/client-pool/src/${name}.ts`;
const openFile = 'libs/jsonl-log/src/open-file.ts';

export const start = {
  'the configuration is not a link': {
    edits: [[readFile, 'followLink ? 0 : constants.O_NOFOLLOW', '0']],
    attacks: ['CFG-01'],
  },
  'the configuration is not a pipe': {
    edits: [[readFile, 'constants.O_RDONLY | constants.O_NONBLOCK', 'constants.O_RDONLY']],
    attacks: ['CFG-01'],
  },
  'the configuration belongs to its user': {
    edits: [[ownership, 'uid !== user.uid && !(byOperator && uid === 0)', 'false']],
    attacks: ['CFG-01'],
  },
  'other users cannot write the configuration': {
    edits: [[ownership, '(mode & 0o002) !== 0', 'false']],
    attacks: ['CFG-01'],
  },
  'no __proto__ in the configuration': {
    edits: [[parseJson, `if (key === '__proto__')`, 'if (false)']],
    attacks: ['CFG-03'],
  },
  'no name is repeated in the configuration': {
    edits: [[parseJson, 'if (key in object)', 'if (false)']],
    attacks: ['CFG-03'],
  },
  'depth of the configuration': {
    edits: [[parseJson, 'open.length > maxDepth', 'false']],
    attacks: ['CFG-03'],
  },
  'the number of reported problems is limited': {
    edits: [[config('problem-list'), 'maxTexts = 20', 'maxTexts = 20_000']],
    attacks: ['CFG-03'],
  },
  'digits of a number': {
    edits: [[config('environment'), /\/\^\(0.*test\(text\) \? Number\(text\) : NaN/, 'Number(text)']],
    attacks: ['CFG-05'],
  },
  'values of variables are hidden': {
    edits: [[problems, ' || isSecret(path)', '']],
    attacks: ['CFG-11'],
  },
  'values of servers are hidden': {
    edits: [[problems, 'isPlaceOfSecrets(path) || ', '']],
    attacks: ['CFG-11'],
  },
  'secrets are blanked': {
    edits: [[pool('connection/presentable'), `shown.replaceAll(secret, '***')`, 'shown']],
    attacks: ['CFG-11', 'CFG-13', 'CFG-15'],
  },
  'a project is not trusted by itself': {
    edits: [[config('project-file'), 'this.#trustsAll || known === sha256', 'true']],
    attacks: ['CFG-21', 'CFG-22'],
  },
  'trust is for one content': {
    edits: [[config('project-file'), 'known === sha256', 'known !== undefined']],
    attacks: ['CFG-22'],
  },
  'the environment trusts only what exists at the start': {
    edits: [['apps/mcp-server/src/read-settings.ts', '...(trusted && { trusted }),', '']],
    attacks: ['CFG-22'],
  },
  'a trusted configuration only narrows': {
    edits: [
      [config('narrow-config'), 'narrowed = rule(value, before)', 'narrowed = { value, isCut: false }'],
    ],
    attacks: ['CFG-22'],
  },
  'files of a project are not links': {
    edits: [[config('project-file'), "writableBy: 'operator'", "writableBy: 'operator', followLink: true"]],
    attacks: ['CFG-23'],
  },
  'other users cannot write the files of a project': {
    edits: [[config('project-file'), "writableBy: 'operator'", "writableBy: 'anybody'"]],
    attacks: ['CFG-23'],
  },
  'the list of trusted projects is outside of projects': {
    edits: [
      [config('trust-store'), ' || (await isOfProject(path, search))', ''],
      [config('load-config'), 'homeSet !== undefined && (await isOfProject(homeSet, search))', 'false'],
    ],
    attacks: ['CFG-23'],
  },
  'no command is ours by a variable': {
    edits: [[config('suggestions'), 'if ([command, ...args].some(namesVariable)) return false;', '']],
    attacks: ['CFG-27'],
  },
  'trust of the environment ends with a start that fails': {
    edits: [['apps/mcp-server/src/read-settings.ts', 'trusted ??= new Map();', '']],
    attacks: ['CFG-27'],
  },
  'an allowed server covers no glob': {
    edits: [[config('narrow-rules'), '&& !/\\*|^_|__/.test(other.slice(begin.length))', '']],
    attacks: ['CFG-25'],
  },
  'a call is for the server that was judged': {
    edits: [[pool('catalog/tool-finder'), 'by.server !== undefined && server.name !== by.server', 'false']],
    attacks: ['CFG-25'],
  },
  'the temporary folder belongs to its user': {
    edits: [
      [
        'libs/files/src/is-private-folder.ts',
        '(stats.uid === process.getuid() && (stats.mode & 0o077) === 0)',
        'true',
      ],
    ],
    attacks: ['CFG-26'],
  },
  "names of another server's tools": {
    edits: [
      [pool('catalog/tool-finder'), 'if (!tools) throw', 'if (!tools && owners.length < 2) throw'],
      [pool('catalog/tool-finder'), 'tools.get(ownName)', 'tools?.get(ownName)'],
    ],
    attacks: ['CFG-19'],
  },
  'what a server says when it fails': {
    edits: [
      [pool('transport/server-process'), 'onEnd({ how,', 'onEnd({ how: how + this.#stderr.toString(),'],
    ],
    attacks: ['CFG-15'],
  },
  "secrets are blanked in a tool's error": {
    edits: [[pool('connection/upstream-connection'), 'rewordError(result, this.#blankSecrets)', 'result']],
    attacks: ['CFG-11'],
  },
  'variables of upstream servers': {
    edits: [
      [
        'libs/host/src/lasting-parts.ts',
        'baseEnv: baseEnvironment()',
        'baseEnv: process.env as Record<string, string>',
      ],
    ],
    attacks: ['CFG-13'],
  },
  'only its user may read the audit log': {
    edits: [[openFile, 'flags | constants.O_CREAT, 0o600)', 'flags | constants.O_CREAT, 0o666)']],
    attacks: ['CFG-17'],
  },
  'the audit log is not a link': {
    edits: [[openFile, 'constants.O_NONBLOCK | constants.O_NOFOLLOW', 'constants.O_NONBLOCK']],
    attacks: ['PRX-29'],
  },
  'the audit log has no second name': {
    edits: [[openFile, 'stats.nlink > 1', 'false']],
    attacks: ['PRX-29'],
  },
  'the record is a regular file': { edits: [[openFile, '!stats.isFile()', 'false']], attacks: ['PRX-29'] },
  'nothing runs without an audit log': {
    edits: [['libs/host/src/execution-parts.ts', '...(admit && { admit }),', '']],
    attacks: ['PRX-29'],
  },
};
