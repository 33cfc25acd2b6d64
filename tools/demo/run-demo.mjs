/** The demo itself: the built server, three real upstream servers, one program. */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { countTokens } from 'gpt-tokenizer/encoding/o200k_base';

import { binOf } from '../run.mjs';
import { writeSampleFiles } from './sample-files.mjs';

const allowedTools = [
  'mcp__filesystem__read_text_file',
  'mcp__filesystem__list_allowed_directories',
  'mcp__memory__*',
];

/** Runs everything inside `folder`, over `connections`, and resolves with what there is to report. */
export async function runDemo(folder, connections) {
  const files = join(folder, 'files');
  const { remembered, texts } = await writeSampleFiles(files);
  const code = await readFile(join(import.meta.dirname, 'program.ts'), 'utf8');
  const upstream = upstreamServers(folder, files);
  const upstreamTokens = await countUpstream(upstream, folder, connections);
  const config = join(folder, 'config.json');
  await writeFile(config, JSON.stringify({ projectOnly: true, mcpServers: upstream }, null, 2));

  const startedAt = performance.now();
  const server = { command: process.execPath, args: [binOf('code-executor-mcp'), '--config', config] };
  const client = await connections.open(server, folder);
  const { tools } = await client.listTools();
  const answer = await client.callTool({ name: 'executeTypescript', arguments: { code, allowedTools } });
  await connections.close(client);
  const durationMs = Math.round(performance.now() - startedAt);

  const report = answer.structuredContent ?? { error: answer.content[0]?.text };
  return {
    ok: report.success === true && report.result?.remembered === remembered,
    isolation: report.isolation,
    durationMs,
    tokens: {
      ours: tokensOf(tools),
      upstream: Object.values(upstreamTokens).reduce((sum, { tokens }) => sum + tokens, 0),
      upstreamServers: upstreamTokens,
      answer: countTokens(JSON.stringify(report)),
      filesRead: countTokens(texts.join('\n')),
    },
    tools: tools.map(({ name }) => name),
    toolCalls: (report.toolCallSummary ?? []).map((call) => ({
      tool: call.toolName,
      calls: call.callCount,
      errors: call.errorCount,
      averageMs: call.averageDurationMs,
      totalMs: call.totalDurationMs,
    })),
    answer: report.result,
    expected: { remembered },
    ...(report.error === undefined ? {} : { error: report.error }),
    code,
  };
}

/** The servers' entries in the config file, started from the packages installed here. */
function upstreamServers(folder, files) {
  const entry = (name, args, env) => ({
    command: process.execPath,
    args: [binOf(`@modelcontextprotocol/server-${name}`, `mcp-server-${name}`), ...args],
    ...(env && { env }),
  });
  return {
    everything: entry('everything', ['stdio']),
    filesystem: entry('filesystem', [files]),
    memory: entry('memory', [], { MEMORY_FILE_PATH: join(folder, 'memory.jsonl') }),
  };
}

/** What an agent would carry in its context if it had these servers directly. */
async function countUpstream(servers, folder, connections) {
  const counts = Object.entries(servers).map(async ([name, server]) => {
    const client = await connections.open(server, folder);
    const { tools } = await client.listTools();
    await connections.close(client);
    return [name, { tools: tools.length, tokens: tokensOf(tools) }];
  });
  return Object.fromEntries(await Promise.all(counts));
}

/** Tokens (o200k) of a tool list as a model gets it: names, descriptions and input schemas as sent. */
function tokensOf(tools) {
  return countTokens(
    JSON.stringify(tools.map(({ name, description, inputSchema }) => ({ name, description, inputSchema }))),
  );
}
