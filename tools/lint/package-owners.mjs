/**
 * Which projects may import which third-party package. Usually one, because a second owner would repeat what the
 * first knows about the package, and both must change with its version. A test compares this with the table in
 * docs/architecture.md.
 */
export const packageOwners = {
  '@fastify/rate-limit': ['http-server'],
  '@fontsource/dejavu-sans': ['sandbox-channel'],
  '@jest/globals': ['contracts'],
  '@keyv/redis': ['schema-cache'],
  '@modelcontextprotocol/client': ['client-pool'],
  '@modelcontextprotocol/server': ['mcp-server'],
  // An interface for all code that creates spans. It does nothing without the SDK, which only the server loads.
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
  // Each owner uses one function, and a library around it would contain nothing else.
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
  // Each owner describes its own data with it: files, requests, the tools of the protocol.
  zod: ['config', 'executor', 'mcp-server'],
};
