/** Runs the demo: one job in both languages, on the built server with three real upstream servers. */
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { countTokens } from 'gpt-tokenizer/encoding/o200k_base';

import { binOf } from '../run.mjs';
import { writeSampleFiles } from './sample-files.mjs';

const allowedTools = [
  'mcp__filesystem__read_text_file',
  'mcp__filesystem__list_allowed_directories',
  'mcp__memory__*',
];

/** The same job, once per language. */
const programs = [
  { language: 'TypeScript', tool: 'executeTypescript', file: 'program.ts' },
  { language: 'Python', tool: 'executePython', file: 'program.py' },
];

/** Runs everything inside `folder`, over `connections`, and resolves with the data for the report. */
export async function runDemo(folder, connections) {
  const files = join(folder, 'files');
  const { remembered, texts } = await writeSampleFiles(files);
  const upstreamTokens = await countUpstream(upstreamServers(folder, files), folder, connections);
  let tools = [];
  const runs = [];
  for (const program of programs) {
    const { listed, ...run } = await runProgram(program, { folder, files, connections, remembered });
    tools = listed;
    runs.push(run);
  }
  return {
    ok: runs.every(({ ok }) => ok),
    tokens: {
      ours: tokensOf(tools),
      upstream: Object.values(upstreamTokens).reduce((sum, { tokens }) => sum + tokens, 0),
      upstreamServers: upstreamTokens,
      filesRead: countTokens(texts.join('\n')),
    },
    tools: tools.map(({ name }) => name),
    expected: { remembered },
    runs,
  };
}

/** Runs one program on its own servers, so that it does not find what the other one has stored. */
async function runProgram({ language, tool, file }, { folder, files, connections, remembered }) {
  const code = await readFile(join(import.meta.dirname, file), 'utf8');
  const ownFolder = join(folder, language);
  await mkdir(ownFolder);
  const config = join(ownFolder, 'config.json');
  const mcpServers = upstreamServers(ownFolder, files);
  // The first search needs the tools of all servers, which are not in the cache yet, so it may take longer.
  const discovery = { timeoutMs: 30_000 };
  await writeFile(config, JSON.stringify({ projectOnly: true, mcpServers, discovery }, null, 2));

  const startedAt = performance.now();
  const server = {
    command: process.execPath,
    args: [binOf('@code-executor/mcp-server'), '--config', config],
  };
  const client = await connections.open(server, folder);
  const { tools: listed } = await client.listTools();
  const answer = await client.callTool({ name: tool, arguments: { code, allowedTools } });
  await connections.close(client);
  const durationMs = Math.round(performance.now() - startedAt);

  const report = answer.structuredContent ?? { error: answer.content[0]?.text };
  return {
    language,
    code,
    ok: report.success === true && report.result?.remembered === remembered,
    isolation: report.isolation,
    durationMs,
    answer: report.result,
    answerTokens: countTokens(JSON.stringify(report)),
    ...(report.error === undefined ? {} : { error: report.error }),
    toolCalls: (report.toolCallSummary ?? []).map((call) => ({
      tool: call.toolName,
      calls: call.callCount,
      errors: call.errorCount ?? 0,
      averageMs: Math.round(call.totalDurationMs / call.callCount),
      totalMs: call.totalDurationMs,
    })),
    listed,
  };
}

/** The entries of the upstream servers in the config file; they start from the installed packages. */
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

/** What an agent would have in its context if it used these servers directly. */
async function countUpstream(servers, folder, connections) {
  const counts = Object.entries(servers).map(async ([name, server]) => {
    const client = await connections.open(server, folder);
    const { tools } = await client.listTools();
    await connections.close(client);
    return [name, { tools: tools.length, tokens: tokensOf(tools) }];
  });
  return Object.fromEntries(await Promise.all(counts));
}

/** The o200k tokens of a tool list as a model gets it: names, descriptions and input schemas. */
function tokensOf(tools) {
  return countTokens(
    JSON.stringify(tools.map(({ name, description, inputSchema }) => ({ name, description, inputSchema }))),
  );
}
