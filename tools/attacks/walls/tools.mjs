/** Which tools a program may call with which arguments, and which hosts it may reach. */
const policy = 'libs/proxy/src/policy/tool-policy.ts';
const budget = 'libs/proxy/src/calls/call-budget.ts';
const patterns = 'libs/proxy/src/policy/name-patterns.ts';
const proxy = 'libs/proxy/src/tool-proxy.ts';
const callSteps = 'libs/proxy/src/calls/call-steps.ts';
const validator = 'libs/proxy/src/arguments/argument-validator.ts';
const handlers = 'libs/sandbox-channel/src/calls/tool-types.ts';
const url = 'libs/guarded-fetch/src/check-url.ts';
const request = 'libs/guarded-fetch/src/check-request.ts';
const fetcher = 'libs/guarded-fetch/src/guarded-fetch.ts';
const connector = 'libs/guarded-fetch/src/guarded-connector.ts';

const nameOfAnyType = [policy, `if (typeof name !== 'string') return`, 'if (false) return'];

export const tools = {
  allowlist: {
    edits: [
      [policy, 'const isAllowed = matches(this.#allowed, name, tool?.server)', 'const isAllowed = true'],
    ],
    attacks: ['PRX-15'],
  },
  ceiling: { edits: [[policy, '!matches(tools, name, server)', 'false']], attacks: ['PRX-15'] },
  'deny wins': { edits: [[policy, 'rule.deny.matches(name, server)', 'false']], attacks: ['PRX-15'] },
  'names are strings': {
    edits: [nameOfAnyType],
    attacks: ['PIP-02'],
    redundant: 'the host call that programs use requires a string too',
  },
  'names are strings, for both': {
    edits: [nameOfAnyType, [handlers, `typeof name !== 'string'`, 'false']],
    attacks: ['PIP-02', 'PRX-13'],
    redundant: 'allowlists contain only strings',
  },
  "a caller's list is a list of names": {
    edits: [
      [
        patterns,
        'entries: readonly unknown[]): void {',
        'entries: readonly unknown[]): void { if (entries) return;',
      ],
    ],
    attacks: ['PRX-15'],
  },
  'arguments fit the schema': {
    edits: [['libs/proxy/src/arguments/fits-schema.ts', 'left.length > 0', 'false']],
    attacks: ['PRX-14'],
  },
  'time of a schema check': {
    edits: [[validator, 'runWithin(checkLimitMs, () => validate(args))', 'validate(args)']],
    attacks: ['PRX-17'],
  },
  'errors that a server answers do not open its circuit': {
    edits: [['libs/client-pool/src/calls/verdict.ts', `if (cause === answeredError) return 'success';`, '']],
    attacks: ['PRX-46'],
  },
  'places reserved for other servers': {
    edits: [['libs/client-pool/src/calls/shared-places.ts', 'this.#ofServer(server) < part', 'part']],
    attacks: ['PRX-47'],
  },
  'number of calls': { edits: [[budget, 'this.#calls >= this.#maxCalls', 'false']], attacks: ['PRX-16'] },
  'bytes of results': {
    edits: [[budget, 'if (this.#bytes > this.#maxBytes) this', 'if (false) this']],
    attacks: ['PRX-16'],
  },
  'bytes of results, before a call': {
    edits: [[callSteps, /\/\/ Results came in during the wait\.\s*budget\.checkBytes\(\);/, '']],
    attacks: ['PIP-06'],
  },
  'calls at once': {
    edits: [[proxy, 'pLimit(budget.maxConcurrent)', 'pLimit(1e6)']],
    attacks: ['PIP-06'],
  },
  "bytes of an upstream server's line": {
    edits: [
      ['libs/client-pool/src/transport/message-limits.ts', 'maxMessageBytes = 64', 'maxMessageBytes = 1e9'],
    ],
    attacks: ['PRX-19'],
  },
  'schemes of addresses': {
    edits: [[url, `url.protocol !== 'http:' && url.protocol !== 'https:'`, 'false']],
    attacks: ['PRX-23'],
  },
  'no password in an address': {
    edits: [[url, `url.username !== '' || url.password !== ''`, 'false']],
    attacks: ['PRX-23'],
  },
  'only granted hosts are reached': {
    edits: [[url, '!allow.some((entry) => HostPattern.parse(entry)?.matches(url))', 'false']],
    attacks: ['PRX-23'],
  },
  'addresses without line breaks': {
    edits: [[url, String.raw` && !/[\p{Cc}]/u.test(text)`, '']],
    attacks: ['PRX-23'],
  },
  'private addresses': {
    edits: [[connector, '!addresses.every(isPublicAddress)', 'false']],
    attacks: ['PRX-21'],
  },
  'every address of a name': {
    edits: [[connector, 'addresses.every(isPublicAddress)', 'addresses.some(isPublicAddress)']],
    attacks: ['PRX-24'],
  },
  'redirects are requests': {
    edits: [
      [fetcher, 'checkUrl(resolveRedirect(target, url), allow)', 'new URL(resolveRedirect(target, url))'],
    ],
    attacks: ['PRX-24'],
  },
  'methods of requests': { edits: [[request, '!methods.has(method)', 'false']], attacks: ['PRX-23'] },
  'values of headers': { edits: [[request, /if \(!\/\^\[\\t.*\)\n/, 'if (false)\n']], attacks: ['PRX-23'] },
};
