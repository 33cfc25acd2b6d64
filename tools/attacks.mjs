/**
 * `npm run attacks`: runs every attack of docs/security/attacks.md on the built server and prints its outcome by ID
 * and isolation mode. `-- TS-01 PRX` selects attacks by the start of their IDs, `--isolation strict` selects one mode,
 * `--json` prints JSON, `--user` runs them as an ordinary user if started by root, and `--built` skips the build. The
 * exit code is 1 if an attack got through or could not run.
 */
import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';

import { asOrdinaryUser } from './as-ordinary-user.mjs';
import { ensureBuilt } from './ensure-built.mjs';
import { planIsolation, strictIsUnavailable } from './isolation.mjs';
import { columns, stylesFor } from './print.mjs';
import { cleanEnvironment, root, runBin } from './run.mjs';

const { values, positionals: wanted } = parseArgs({
  allowPositionals: true,
  options: {
    isolation: { type: 'string' },
    json: { type: 'boolean', default: false },
    user: { type: 'boolean', default: false },
    built: { type: 'boolean', default: false },
  },
});
const { isolation, json, user, built } = values;
// Exiting here ends all child processes; see run().
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.once(signal, () => process.exit(130));

if (!built) await ensureBuilt();
if (user && process.getuid?.() === 0) {
  const options = [...(isolation ? ['--isolation', isolation] : []), ...(json ? ['--json'] : [])];
  process.exitCode = await asOrdinaryUser(['tools/attacks.mjs', '--built', ...options, ...wanted]);
} else {
  process.exitCode = await attack();
}

async function attack() {
  const plan = planIsolation({
    requested: isolation,
    strictProblem: await strictIsUnavailable(),
    isCi: process.env.CI === 'true',
  });
  const results = await makeAttacks(plan.modes);
  const rows = documentedAttacks()
    .filter(({ id }) => wanted.length === 0 || wanted.some((start) => id.startsWith(start)))
    .map((row) => ({ ...row, ...outcomesOf(row, plan.modes, results) }));
  const failures = rows.flatMap(({ id, details }) => details.map((detail) => ({ id, ...detail })));
  const isBroken = plan.isFailure || failures.length > 0 || rows.length === 0;
  if (json) {
    process.stdout.write(
      `${JSON.stringify({ modes: plan.modes, notRun: plan.notRun, attacks: rows }, undefined, 2)}\n`,
    );
  } else {
    print(rows, failures, plan.notRun);
  }
  return isBroken ? 1 : 0;
}

/** Runs the tests; resolves with Jest's result for each, by its name. */
async function makeAttacks(modes) {
  const file = join(tmpdir(), `attacks-${randomBytes(6).toString('hex')}.json`);
  const pattern = wanted.map((start) => start.replace(/[^\w-]/g, '')).join('|');
  const { output } = await runBin(
    'jest',
    [
      'attacks/.*-attacks\\.test\\.ts$',
      // Overrides the config, which excludes the attacks from `npm test`.
      '--testPathIgnorePatterns=/node_modules/',
      '--json',
      `--outputFile=${file}`,
      ...(pattern ? ['-t', ` (?:${pattern})`] : []),
    ],
    {
      cwd: join(root, 'apps', 'mcp-server-e2e'),
      env: cleanEnvironment({
        NODE_OPTIONS: '--experimental-vm-modules --disable-warning=ExperimentalWarning',
        CODE_EXECUTOR_TEST_ISOLATION: modes.join(','),
      }),
    },
  );
  const text = await readFile(file, 'utf8').catch(() => undefined);
  await rm(file, { force: true });
  if (text === undefined) {
    process.stderr.write(output);
    return new Map();
  }
  const tests = JSON.parse(text).testResults.flatMap(({ assertionResults }) => assertionResults);
  return new Map(tests.map((test) => [test.title, test]));
}

/** The attacks as listed in the document. A test ensures that they match the code. */
function documentedAttacks() {
  const text = readFileSync(join(root, 'docs', 'security', 'attacks.md'), 'utf8').replaceAll('\\', '');
  const rows = [...text.matchAll(/^\| ([A-Z]+-\d+) +\|(.*)\|$/gm)];
  return rows.map(([, id, rest]) => {
    const [what, ...cells] = rest.split('|').map((cell) => cell.trim());
    // Attacks that do not depend on the isolation mode have one outcome; the last cell says what stops them.
    const [strict, portable] = cells;
    return { id, what, expected: cells.length === 2 ? { server: strict } : { strict, portable } };
  });
}

/** The outcome of one attack in each mode, or on the server itself, with the reasons if it is not `held`. */
function outcomesOf({ id, what, expected }, modes, results) {
  const details = [];
  const outcomes = Object.fromEntries(
    Object.keys(expected).map((mode) => {
      if (expected[mode] !== 'held') return [mode, 'n/a'];
      if (mode !== 'server' && !modes.includes(mode)) return [mode, 'not run'];
      const test = results.get(`${id} ${what} (${mode})`);
      if (test?.status === 'passed') return [mode, 'held'];
      details.push({ mode, reason: test?.failureMessages.join('\n') || 'The attack did not run.' });
      return [mode, 'FELL'];
    }),
  );
  return { outcomes, details };
}

function print(rows, failures, notRun) {
  const { bold, red, green, dim } = stylesFor(process.stdout);
  const shown = { held: green, FELL: red, 'n/a': dim, 'not run': dim };
  const lines = columns([
    ['id', 'strict', 'portable', 'attack'],
    ...rows.map(({ id, what, outcomes: { strict, portable, server } }) => [
      id,
      strict ?? server,
      portable ?? '',
      what,
    ]),
  ]);
  lines.forEach((line, index) => {
    const coloured = line.replace(/\b(?:held|FELL|not run)\b|n\/a/g, (word) => shown[word](word));
    process.stdout.write(`${index === 0 ? bold(line) : coloured}\n`);
  });
  const reasons = rows.flatMap(({ id, expected }) =>
    Object.entries(expected).flatMap(([mode, text]) => (text === 'held' ? [] : [`${id} (${mode}): ${text}`])),
  );
  process.stdout.write(`\n${reasons.map((reason) => `${dim(reason)}\n`).join('')}`);
  for (const { id, mode, reason } of failures)
    process.stdout.write(`\n${red(`${id} (${mode}) fell`)}\n${reason}\n`);
  for (const reason of notRun) process.stdout.write(`\nNot run: ${reason}\n`);
  const count = (outcome) =>
    rows.flatMap(({ outcomes }) => Object.values(outcomes)).filter((each) => each === outcome).length;
  const who = process.getuid?.() === 0 ? 'root' : 'an ordinary user';
  process.stdout.write(`\nAs ${who}: ${count('held')} held, ${count('FELL')} fell\n`);
}
