/** Who may call the server over HTTP, how, and how often. */
const httpServer = (name) => `libs/http-server/src/${name}.ts`;
const guard = httpServer('request-guard');
const listener = httpServer('listener');
const clients = httpServer('client-check');
const body = httpServer('json-body');
const proxy = (name) => `libs/proxy/src/${name}.ts`;
const app = (name) => `apps/mcp-server/src/${name}.ts`;

export const http = {
  'HTTP needs a token': {
    edits: [[guard, 'findClient !== undefined && client === undefined', 'false']],
    attacks: ['PRX-01'],
  },
  'tokens are compared': {
    edits: [[clients, 'timingSafeEqual(given, hash)', 'true']],
    attacks: ['PRX-01', 'PRX-03'],
  },
  'one Authorization': {
    edits: [[clients, 'others.length > 0 || value?.', 'value?.']],
    attacks: ['PRX-01'],
  },
  'the scheme of a token': {
    edits: [[clients, 'value?.startsWith(scheme) !== true', 'value === undefined']],
    attacks: ['PRX-01'],
  },
  'a policy for each client': {
    edits: [[app('http-clients'), 'policy: { ...policy }', 'policy: {}']],
    attacks: ['PRX-03', 'PRX-34'],
  },
  'a new token at each start': {
    edits: [[httpServer('http-server'), 'randomBytes(32)', 'Buffer.alloc(32)']],
    attacks: ['PRX-03'],
  },
  'only its user may read the token file': {
    edits: [['libs/files/src/replace-file.ts', 'mode = 0o600', 'mode = 0o644']],
    attacks: ['PRX-31'],
  },
  'loopback only': {
    edits: [[listener, 'listen(app, address, port)', `listen(app, '0.0.0.0', port)`]],
    attacks: ['PRX-31'],
  },
  'the Host of a request': {
    edits: [[guard, '!hosts.accepts(host, port)', 'false']],
    attacks: ['PRX-05', 'PRX-07'],
  },
  'one Host': { edits: [[guard, 'if (others.length > 0)', 'if (false)']], attacks: ['PRX-05'] },
  'HTTP/1.1 only': { edits: [[guard, `if (httpVersion !== '1.1')`, 'if (false)']], attacks: ['PRX-05'] },
  'paths as targets': { edits: [[guard, `if (!url.startsWith('/'))`, 'if (false)']], attacks: ['PRX-05'] },
  'bodies are not compressed': {
    edits: [[guard, `if (headers['content-encoding'] !== undefined)`, 'if (false)']],
    attacks: ['PRX-05'],
  },
  'bytes of headers': { edits: [[listener, '16_384', '1_000_000']], attacks: ['PRX-05'] },
  'no Origin': {
    edits: [[guard, `origin === undefined && site === 'none'`, `site === 'none'`]],
    attacks: ['PRX-07'],
  },
  'no other site': {
    edits: [[guard, `origin === undefined && site === 'none'`, 'origin === undefined']],
    attacks: ['PRX-07'],
  },
  'bodies are JSON': { edits: [[body, 'app.removeAllContentTypeParsers();', '']], attacks: ['PRX-07'] },
  'bytes of a body': {
    edits: [[body, 'defaultMaxBytes = 1_000_000', 'defaultMaxBytes = 2_000_000_000']],
    attacks: ['PRX-09', 'PRX-11'],
  },
  'time for headers': {
    edits: [[listener, 'headersTimeoutMs = 5000', 'headersTimeoutMs = 30_000']],
    attacks: ['PRX-09'],
  },
  'time to receive an answer': {
    edits: [[listener, 'dropUnreadAnswers(app);', '']],
    attacks: ['PRX-09'],
  },
  'half-open connections make room': {
    edits: [[httpServer('connections'), '(leastNeeded(open) ?? socket)', 'socket']],
    attacks: ['PRX-38'],
  },
  'a rate for each client': {
    edits: [[app('http-clients'), 'return enabled && {', 'return enabled && false && {']],
    attacks: ['PRX-40'],
  },
  'refused requests are recorded': {
    edits: [[listener, 'if (onRefused) reportRefusals(app, onRefused);', '']],
    attacks: ['PRX-39'],
  },
  'records of refused requests': {
    edits: [[app('refusal-limit'), 'maxRecords = 100', 'maxRecords = 1e9']],
    attacks: ['PRX-39'],
  },
  'bodies are UTF-8': { edits: [[body, 'fatal: true', 'fatal: false']], attacks: ['PRX-11'] },
  'no byte order mark': { edits: [[body, `text.startsWith('\\u{feff}')`, 'false']], attacks: ['PRX-11'] },
  'depth of a body': { edits: [[body, 'depthOf(text) > maxDepth', 'false']], attacks: ['PRX-11'] },
  'no __proto__ in a body': {
    edits: [[body, `getDefaultJsonParser('error', 'error')`, `getDefaultJsonParser('ignore', 'ignore')`]],
    attacks: ['PRX-11'],
  },
  'characters of a search': {
    edits: [[proxy('parse-listing'), 'query.length > maxQueryChars', 'false']],
    attacks: ['PRX-35'],
  },
  'letters of a search': {
    edits: [[proxy('parse-listing'), '!queryPattern.test(query)', 'false']],
    attacks: ['PRX-35'],
  },
  'bytes of an answer': {
    edits: [[proxy('answer-call'), '3 * json.length > maxAnswerBytes', 'false']],
    attacks: ['PRX-36'],
  },
  'hanging up ends a call': {
    edits: [[httpServer('to-request'), 'if (!reply.raw.writableFinished) gone.abort();', '']],
    attacks: ['PRX-37'],
  },
};
