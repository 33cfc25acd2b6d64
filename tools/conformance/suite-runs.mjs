/** What is run: which suite against what, and which of its scenarios count. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { createInterface } from 'node:readline';

import { cleanEnvironment, root, run } from '../run.mjs';
import { knownFailures } from './known-failures.mjs';
import { installSuites, suiteCommand } from './install-suites.mjs';

const here = join(root, 'tools', 'conformance');
const suiteTimeoutMs = 600_000;
/** The suites start a client for each of their scenarios at once, so that most of them wait for the processor. */
const scenarioTimeoutMs = 240_000;

/** What a client or server of that revision has to pass. */
function required(revision) {
  return ['--requirements', revision];
}

/** The scenarios of a server that has only tools, and none with a name that the suite prescribes. */
const ofOldServer = [
  'server-initialize',
  'ping',
  'logging-set-level',
  'tools-list',
  'dns-rebinding-protection',
  'server-sse-multiple-streams',
];
const ofNewServer = [...ofOldServer, 'server-session-lifecycle', 'http-header-validation'];

/** An extension, so that no revision requires them. */
const ofTasks = [
  'tasks-lifecycle',
  'tasks-capability-negotiation',
  'tasks-wire-fields',
  'tasks-request-state-removal',
  'tasks-mrtr-input',
  'tasks-request-headers',
  'tasks-dispatch-and-envelope',
  'tasks-required-task-error',
  'tasks-mrtr-composition',
];

/** What is started, each with its arguments. */
const servers = {
  product: ['start-product.mjs'],
  fixture: ['start-fixture.mjs', 'serve'],
  tasks: ['start-fixture.mjs', 'serve-tasks'],
};

/**
 * `suite` is the version of the suite; `against` starts a server, and runs without one test the client. `isKnown` names
 * what fails, each with its reason in known-failures.mjs; the run fails if one of these passes, too.
 */
export const suiteRuns = [
  { name: 'server-2025', suite: 'conformance-2025', against: 'product', scenarios: ofOldServer },
  { name: 'server-2026', suite: 'conformance-2026', against: 'product', scenarios: ofNewServer },
  { name: 'fixture-2025', suite: 'conformance-2025', against: 'fixture', args: ['--suite', 'all'] },
  { name: 'fixture-2025-11-25', suite: 'conformance-2026', against: 'fixture', args: required('2025-11-25') },
  { name: 'fixture-2026-07-28', suite: 'conformance-2026', against: 'fixture', args: required('2026-07-28') },
  { name: 'tasks', suite: 'conformance-2026', against: 'tasks', scenarios: ofTasks },
  { name: 'client-2025', suite: 'conformance-2025', args: ['--suite', 'all'] },
  { name: 'client-2025-11-25', suite: 'conformance-2026', args: required('2025-11-25') },
  { name: 'client-2026-07-28', suite: 'conformance-2026', args: required('2026-07-28') },
].map((each) => ({ ...each, isKnown: Object.keys(knownFailures[each.name] ?? {}) }));

/** One check for each of the runs with these names. */
export async function runSuites(names) {
  await installSuites();
  const checks = [];
  for (const each of suiteRuns.filter(({ name }) => names.includes(name))) checks.push(await runSuite(each));
  return checks;
}

async function runSuite({ name, suite, against, scenarios, args = [], isKnown = [] }) {
  const folder = await mkdtemp(join(tmpdir(), 'conformance-'));
  const server = against && (await startServer(against, folder));
  try {
    const subject = server
      ? ['server', '--url', server.url]
      : [
          ...['client', '--command', `${process.execPath} ${join(here, 'client.mjs')}`],
          ...['--timeout', String(scenarioTimeoutMs)],
        ];
    const sets = scenarios ? scenarios.map((scenario) => ['--scenario', scenario]) : [args];
    const options = [
      '--output-dir',
      'results',
      '--expected-failures',
      await listKnown(folder, subject, isKnown),
    ];
    let code = 0;
    for (const set of sets) {
      const [program, ...command] = [...suiteCommand(suite), ...subject, ...set, ...options];
      const ended = await run(program, command, { cwd: folder, timeoutMs: suiteTimeoutMs });
      code ||= ended.code;
    }
    return { name: `conformance ${name}`, ...(await readOutcome(join(folder, 'results'), code)) };
  } finally {
    await server?.stop();
    await rm(folder, { recursive: true, force: true, maxRetries: 10 });
  }
}

/** Writes the file of known failures that the suite reads; a known one that passes fails the run. */
async function listKnown(folder, [role], known) {
  const file = join(folder, 'known.yml');
  await writeFile(file, JSON.stringify({ [role]: known }));
  return file;
}

/** A suite exits with 0 if exactly the known failures failed. */
async function readOutcome(results, code) {
  const checks = [];
  // Those of logins lie in a folder of their own.
  const files = (await readdir(results, { recursive: true })).filter(
    (file) => basename(file) === 'checks.json',
  );
  for (const file of files) {
    const text = await readFile(join(results, file), 'utf8');
    for (const check of JSON.parse(text)) checks.push({ scenario: dirname(file), ...check });
  }
  const count = (wanted) => checks.filter(({ status }) => status === wanted).length;
  const complaints = checks.filter(({ status }) => status === 'FAILURE' || status === 'WARNING');
  const failed = code === 0 ? 0 : Math.max(1, count('FAILURE'));
  return {
    passed: count('SUCCESS'),
    failed,
    ...(failed === 0 && count('FAILURE') > 0 && { note: `${count('FAILURE')} known failures` }),
    detail: complaints
      .map(({ scenario, status, id, errorMessage }) => `${status} ${scenario} ${id}: ${errorMessage}`)
      .join('\n'),
  };
}

/** Starts a server; resolves once it says where it listens. */
async function startServer(kind, folder) {
  const [file, ...args] = servers[kind];
  const env = cleanEnvironment({ HOME: folder, USERPROFILE: folder, XDG_CONFIG_HOME: folder });
  const child = spawn(process.execPath, [join(here, file), ...args], {
    cwd: folder,
    env,
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const ended = once(child, 'exit');
  const [url] = await Promise.race([
    once(createInterface({ input: child.stdout }), 'line'),
    ended.then(() => Promise.reject(new Error(`The ${kind} server ended before it listened.`))),
  ]);
  return {
    url,
    async stop() {
      child.kill();
      await ended;
    },
  };
}
