/**
 * `npm test`: the checks for each change. `-- --all` adds the conformance suites, the attacks and killed servers, which take
 * as long again and must pass before a commit lands. `-- --isolation strict|portable` runs the sandbox tests in one mode only. The last
 * line is `N passed, N failed`; the exit code is 0 if none failed.
 */
import { join } from 'node:path';
import { parseArgs } from 'node:util';

import { ensureInstalled } from './ensure-built.mjs';
import { planIsolation, strictIsUnavailable } from './isolation.mjs';
import { reportChecks } from './print.mjs';
import { root, run, runBin } from './run.mjs';

// Exiting here ends all child processes; see run().
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.once(signal, () => process.exit(130));
const { isolation, all } = await planFromArguments();
await ensureInstalled();
// Imported after the installation, because these import packages.
const { runTasks } = await import('./checks/nx-tasks.mjs');
const { runTests } = await import('./checks/jest-results.mjs');
const { checkImportCycles } = await import('./checks/import-cycles.mjs');
const { runOwnTests } = await import('./checks/own-tests.mjs');
const { checkWithInspector } = await import('./checks/inspector.mjs');
const { suiteRuns, runSuites } = await import('./conformance/suite-runs.mjs');
const { checkAttacks } = await import('./checks/attacks.mjs');
const { checkDocs } = await import('./check-docs.mjs');
const { checkPackages } = await import('./check-packages.mjs');
const { checkDeploy } = await import('./check-deploy.mjs');

const attacks = 'Attacks';
// The attacks take minutes but little CPU, so they run in parallel from this step on. The steps before it read and
// write the whole checkout.
const besideAttacks = 'Real clients';
const steps = {
  'Format and references': async () => [
    await single('prettier', runBin('prettier', ['--check', '.'])),
    await single('nx sync', runBin('nx', ['sync:check'])),
  ],
  'Lint, types, build': async () => {
    // One process for all projects, because each process would read the same types again.
    const lint = single('eslint', runBin('eslint', ['.']));
    const tasks = await runTasks(['typecheck', 'build']);
    const demo = runBin('typescript', ['-p', 'tools/demo'], { command: 'tsc' });
    return [await lint, checkImportCycles(root), ...tasks, await single('tools:typecheck', demo)];
  },
  Tests: async () => [
    ...(await runOwnTests()),
    ...(await runTests({ CODE_EXECUTOR_TEST_ISOLATION: isolation.modes.join(',') })),
  ],
  // Before the attacks begin, because some scenarios wait for less than a second.
  ...(all && { 'Conformance with MCP': () => runSuites(suiteRuns.map(({ name }) => name)) }),
  'Real clients': async () => [
    await single(
      'demo',
      run(process.execPath, [join(root, 'tools', 'demo', 'demo.mjs'), '--built', '--json']),
    ),
    ...(await checkWithInspector()),
  ],
  Packages: checkPackages,
  Deployment: checkDeploy,
  Documentation: checkDocs,
  ...(all && {
    [attacks]: () => checkAttacks(isolation.modes),
    'Attacks as an ordinary user': () => checkAttacks(isolation.modes, { asUser: true }),
    'Killed servers': async () => [
      await single(
        'chaos',
        run(process.execPath, [join(root, 'tools', 'chaos', 'chaos.mjs'), '--kill', '20']),
      ),
    ],
  }),
};

/** The steps that have started, by title. */
const begun = {};
const begin = (title) => {
  // A step that throws counts as one failed check, and the other steps still run.
  const checks = steps[title]().catch((error) => [
    { name: title, passed: 0, failed: 1, detail: error.stack },
  ]);
  return (begun[title] = { startedAt: Date.now(), checks });
};

const total = { passed: 0, failed: 0 };
for (const title of Object.keys(steps)) {
  // The requested mode cannot work here, which is reported at once.
  if (isolation.modes.length === 0) break;
  process.stdout.write(`${title}\n`);
  if (all && title === besideAttacks) begin(attacks);
  const { startedAt, checks } = begun[title] ?? begin(title);
  const { passed, failed } = reportChecks(await checks);
  process.stdout.write(`  ${Math.round((Date.now() - startedAt) / 1000)} s\n`);
  total.passed += passed;
  total.failed += failed;
}
if (!all) isolation.notRun.push('conformance, attacks and killed servers: npm test -- --all');
for (const notRun of isolation.notRun) process.stdout.write(`\nNot run: ${notRun}\n`);
if (isolation.isFailure) total.failed++;
process.stdout.write(`\n${total.passed} passed, ${total.failed} failed\n`);
process.exitCode = total.failed === 0 ? 0 : 1;

/** A command as one check, which passes with exit code 0. */
async function single(name, running) {
  const { code, output } = await running;
  return { name, passed: code === 0 ? 1 : 0, failed: code === 0 ? 0 : 1, detail: output };
}

async function planFromArguments() {
  try {
    const { values } = parseArgs({
      options: { isolation: { type: 'string' }, all: { type: 'boolean', default: false } },
    });
    const plan = planIsolation({
      requested: values.isolation,
      strictProblem: await strictIsUnavailable(),
      isCi: process.env.CI === 'true',
    });
    return { isolation: plan, all: values.all };
  } catch (error) {
    process.stderr.write(`${error.message}\nUsage: npm test [-- --all] [-- --isolation strict|portable]\n`);
    process.exit(2);
  }
}
