/**
 * `npm run attacks:break`: removes one wall at a time from a copy of the built product and expects an attack to get
 * through. `-- seccomp ulimit` removes only walls with one of these words in their names, `--why` shows how each attack
 * got through, and `--built` skips the build. The exit code is 1 if no attack noticed that a wall was missing, or if
 * an attack noticed a wall that is listed as backed by another.
 */
import { parseArgs } from 'node:util';

import { ensureBuilt } from '../ensure-built.mjs';
import { planIsolation, strictIsUnavailable } from '../isolation.mjs';
import { columns, stylesFor } from '../print.mjs';
import { makeCage } from './cage.mjs';
import { walls } from './walls.mjs';

const { values, positionals: wanted } = parseArgs({
  allowPositionals: true,
  options: { why: { type: 'boolean', default: false }, built: { type: 'boolean', default: false } },
});
const { red, dim, bold } = stylesFor(process.stdout);

if (!values.built) await ensureBuilt();
// Imported after the build, because it imports packages.
const { copyProduct, withEdits } = await import('./product-copy.mjs');
const { modes } = planIsolation({ strictProblem: await strictIsUnavailable() });
const { folder, temp } = await copyProduct();
const runCaged = makeCage(folder, temp);
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.once(signal, () => process.exit(130));

const chosen = walls.filter(({ name }) => wanted.length === 0 || wanted.some((word) => name.includes(word)));
if (chosen.length === 0) {
  process.stderr.write(`No wall has ${wanted.join(' or ')} in its name.\n`);
  process.exit(2);
}
const fallen = await makeAttacks([...new Set(chosen.flatMap(({ attacks }) => attacks))]);
if (fallen.length > 0) {
  // They would get through whichever wall is removed.
  process.stderr.write(
    `These attacks got through with all walls in place:\n${fallen.flatMap(reasonsOf).join('\n')}\n`,
  );
  process.exit(1);
}
const rows = [];
for (const wall of chosen) {
  const row = { wall, ...(await withEdits(folder, wall.edits, () => findWhoMisses(wall))) };
  rows.push(row);
  process.stdout.write(`${wall.name}: ${describe(row)}\n`);
  if (values.why)
    for (const reason of row.fallen.flatMap(reasonsOf)) process.stdout.write(`${dim(reason)}\n`);
}
const lines = columns([['wall', 'noticed by'], ...rows.map((row) => [row.wall.name, describe(row)])]);
process.stdout.write(`\n${bold(lines[0])}\n${lines.slice(1).join('\n')}\n`);
const redundant = rows.filter(({ fallen }) => fallen.length === 0).length;
const wrong = rows.filter(isWrong).length;
process.stdout.write(
  `\n${rows.length} walls: ${rows.length - redundant} noticed, ${redundant} backed by another wall, ${wrong} wrong\n`,
);
process.exitCode = wrong > 0 ? 1 : 0;

/** Runs attacks; resolves with those that got through. */
async function makeAttacks(ids) {
  const { stdout, output } = await runCaged('tools/attacks.mjs', '--built', '--json', ...ids);
  if (!stdout.startsWith('{')) throw new Error(`The attacks could not run:\n${output}`);
  const { attacks } = JSON.parse(stdout);
  const missing = ids.filter((id) => !attacks.some((attack) => attack.id === id));
  if (missing.length > 0) throw new Error(`There is no attack ${missing.join(', ')}.`);
  return attacks.filter(({ details }) => details.length > 0);
}

/** The attacks that get through without a wall. None if the product cannot run programs without it. */
async function findWhoMisses({ attacks }) {
  // Only if needed, because the first start of Python takes seconds.
  const language = attacks.some((id) => id.startsWith('PY-')) ? 'python' : 'typescript';
  const { code, stdout } = await runCaged('tools/attacks/still-works.mjs', language, ...modes);
  return code === 0 ? { fallen: await makeAttacks(attacks) } : { fallen: [], problem: stdout.trim() };
}

function reasonsOf({ id, details }) {
  return details.map(
    ({ mode, reason }) => `  ${id} (${mode}): ${reason.replaceAll('\n', '\n    ').slice(0, 700)}`,
  );
}

/** The ID of an attack, with the modes in which it got through unless it did so in all. */
function nameOf({ id, outcomes }) {
  const tried = Object.keys(outcomes).filter((mode) => ['held', 'FELL'].includes(outcomes[mode]));
  const fell = tried.filter((mode) => outcomes[mode] === 'FELL');
  return fell.length === tried.length ? id : `${id} (${fell.join()})`;
}

function isWrong({ wall, fallen }) {
  return (fallen.length === 0) === (wall.redundant === undefined);
}

function describe(row) {
  const { wall, fallen, problem } = row;
  const noticed = fallen.map(nameOf).join(' ') || (problem ? `no program runs (${problem})` : 'no attack');
  if (!isWrong(row)) return wall.redundant === undefined ? noticed : `no attack: ${wall.redundant}`;
  return red(wall.redundant === undefined ? noticed.toUpperCase() : `${noticed}, ALTHOUGH ${wall.redundant}`);
}
