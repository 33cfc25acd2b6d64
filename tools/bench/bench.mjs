/**
 * `npm run bench`: measures what an execution costs, as ratios to baselines of the same run. Names select cases;
 * `--check` exits with 1 if a ratio misses its goal in two of three repeats; `--json` prints one JSON object instead of
 * the table.
 */
import { parseArgs } from 'node:util';

import { ensureBuilt } from '../ensure-built.mjs';
import { columns } from '../print.mjs';

const usage = `Usage: npm run bench -- [case ...] [--check] [--json]

  npm run bench                 all cases
  npm run bench -- warm cold    some of them
  npm run bench -- --check      exit with 1 if a ratio misses its goal in two of three repeats
  npm run bench -- --json       print one JSON object instead of the table
`;
const { values: flags, positionals } = parseArgs({
  allowPositionals: true,
  options: { check: { type: 'boolean' }, json: { type: 'boolean' }, help: { type: 'boolean' } },
});
if (flags.help) {
  process.stdout.write(usage);
  process.exit(0);
}

await ensureBuilt();
// Imported after the build, because these import packages and built code.
const { cases } = await import('./cases.mjs');
const { sampleCase } = await import('./measure.mjs');
const { Workplace } = await import('./processes.mjs');

const unknown = positionals.filter((name) => !cases.some((each) => each.name === name));
if (unknown.length > 0) {
  process.stderr.write(
    `Unknown case ${unknown.join(', ')}; the cases are ${cases.map(({ name }) => name).join(', ')}.\n`,
  );
  process.exit(2);
}
const chosen = cases.filter(({ name }) => positionals.length === 0 || positionals.includes(name));

const rows = [];
for (const each of chosen) {
  process.stderr.write(`${each.name}: ${each.what} ...\n`);
  rows.push(...(await measure(each)));
}
if (flags.json) process.stdout.write(`${JSON.stringify({ rows }, null, 2)}\n`);
else process.stdout.write(`${table(rows).join('\n')}\n`);
if (flags.check && rows.some(({ isMet }) => !isMet)) process.exitCode = 1;

/** Repeats a case until each row has met or missed its goal twice; runs it once without `--check`. */
async function measure(each) {
  const repeats = [];
  const isSettled = () =>
    each.rows.every((row) => {
      const met = repeats.filter((samples) => isMet(row, samples)).length;
      return met >= 2 || repeats.length - met >= 2;
    });
  do repeats.push(await sampleOnce(each));
  while (flags.check && !isSettled());
  return each.rows.map((row) => {
    const misses = repeats.filter((samples) => !isMet(row, samples)).length;
    const samples = repeats.at(-1);
    const ratios = repeats.map((repeat) => ratioOf(row, repeat));
    return {
      case: each.name,
      label: row.label,
      shows: row.shows ?? Object.keys(samples),
      goal: goalOf(row),
      ratios,
      isMet: misses * 2 < repeats.length,
      samples,
    };
  });
}

async function sampleOnce(each) {
  const workplace = await Workplace.open();
  try {
    return await sampleCase({ ...each, samples: await each.open(workplace) });
  } finally {
    await workplace.close();
  }
}

function ratioOf(row, samples) {
  const medians = Object.fromEntries(Object.entries(samples).map(([name, { p50 }]) => [name, p50]));
  return row.ratio(medians, samples);
}

function isMet(row, samples) {
  const ratio = ratioOf(row, samples);
  if (!hasGoal(row)) return true;
  return row.atMost === undefined ? ratio >= row.atLeast : ratio <= row.atMost;
}

/** False for rows that are only informative. */
function hasGoal({ atMost, atLeast }) {
  return atMost !== undefined || atLeast !== undefined;
}

function goalOf(row) {
  if (!hasGoal(row)) return 'none';
  return row.atMost === undefined ? `>= ${row.atLeast}` : `<= ${row.atMost}`;
}

function table(measured) {
  const figure = (value) => (value >= 100 ? value.toFixed(0) : value.toFixed(2));
  return columns([
    ['case', 'ratio', 'goal', 'measured', '', 'p50 (p95) of the last repeat'],
    ...measured.map(({ case: name, label, goal, ratios, isMet: met, shows, samples }) => [
      name,
      label,
      goal,
      ratios.map(figure).join(', '),
      met ? 'met' : 'MISSED',
      shows
        .map((sample) => `${sample} ${figure(samples[sample].p50)} (${figure(samples[sample].p95)})`)
        .join(', '),
    ]),
  ]);
}
