/**
 * Which projects may import which third-party package. One owner each: a second one repeats what the first knows of
 * the package, and a change of version then reaches both. The table in docs/architecture.md says the same.
 */
export const packageOwners = {
  '@fastify/rate-limit': ['http-server'],
  '@fontsource/dejavu-sans': ['sandbox-channel'],
  '@jest/globals': ['contracts'],
  '@keyv/redis': ['schema-cache'],
  // A client and a server: two halves of one package.
  '@modelcontextprotocol/sdk': ['client-pool', 'mcp-server'],
  // An interface to call, wherever a span is made; only the server's SDK gives it something to do.
  '@opentelemetry/api': ['client-pool', 'executor', 'mcp-server'],
  '@opentelemetry/exporter-trace-otlp-proto': ['mcp-server'],
  '@opentelemetry/resources': ['mcp-server'],
  '@opentelemetry/sdk-trace-base': ['mcp-server'],
  '@renovatebot/pep440': ['cli'],
  '@resvg/resvg-wasm': ['sandbox-channel'],
  ajv: ['proxy'],
  'ajv-formats': ['proxy'],
  commander: ['cli'],
  'cross-spawn': ['client-pool'],
  deno: ['deno-runtime'],
  fastify: ['http-server'],
  fflate: ['cli'],
  handlebars: ['wrapper-gen'],
  'ipaddr.js': ['guarded-fetch'],
  'jsonc-parser': ['config'],
  keyv: ['schema-cache'],
  // One function each: a library around it would hold nothing else.
  leven: ['config', 'proxy'],
  minisearch: ['tool-search'],
  opossum: ['client-pool'],
  'p-limit': ['proxy', 'sandbox-channel'],
  'p-queue': ['executor'],
  pino: ['mcp-server'],
  'prom-client': ['metrics'],
  pyodide: ['sandbox-pyodide'],
  stemmer: ['tool-search'],
  undici: ['guarded-fetch'],
  // Each describes data of its own with it: a file, a request, the tools of the protocol.
  zod: ['config', 'executor', 'mcp-server'],
};
