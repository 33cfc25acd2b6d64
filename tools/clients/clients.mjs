/**
 * Real clients against the built server, over stdio and HTTP, with a scripted model on loopback: which revision each
 * speaks, and what it shows its model of a picture, of a long run and of a question. Not part of `npm test`, because
 * the clients are 700 MB. Install them first (npm i @anthropic-ai/claude-code @openai/codex @google/gemini-cli), then
 * node tools/clients/clients.mjs FOLDER [CLIENT…] [--transport stdio|http] [--long MS]
 */
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';

import { drivers } from './drivers.mjs';
import { tryClient } from './try-client.mjs';

const { values, positionals } = parseArgs({
  options: { long: { type: 'string', default: '90000' }, transport: { type: 'string' } },
  allowPositionals: true,
});
const [folder, ...names] = positionals;
if (folder === undefined) {
  process.stderr.write('Say in which folder the clients are installed.\n');
  process.exit(2);
}
for (const name of names.length > 0 ? names : Object.keys(drivers)) {
  for (const transport of values.transport ? [values.transport] : ['stdio', 'http']) {
    const options = { folder: resolve(folder), longMs: Number(values.long) };
    const { results, ...tried } = await tryClient(name, transport, options);
    const shown = results.map((result) => JSON.stringify(result).slice(0, 400));
    process.stdout.write(`${JSON.stringify({ ...tried, shown }, null, 2)}\n`);
  }
}
