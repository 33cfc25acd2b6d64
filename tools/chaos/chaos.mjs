/**
 * `npm run chaos -- --kill 50 --seed 1` kills the server at random moments; with `--seconds 60`, its upstream servers
 * misbehave under load. The exit code is 0 if there are no findings.
 */
import { parseArgs } from 'node:util';

import { ensureBuilt } from '../ensure-built.mjs';

const usage = `Usage: npm run chaos -- [--kill N] [--seed N] [--seconds N] [--json]

  --kill N     kill N servers while they run executions, and look for what they left behind (default 10)
  --seed N     seed of the random moments (default 1)
  --seconds N  let upstream servers hang, die and answer garbage for N seconds, after N seconds of calm
  --json       print one line of JSON per part
`;
const { values: flags } = parseArgs({
  options: {
    kill: { type: 'string' },
    seed: { type: 'string', default: '1' },
    seconds: { type: 'string' },
    json: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
});
const seconds = Number(flags.seconds ?? 0);
const kills = Number(flags.kill ?? (flags.seconds === undefined ? 10 : 0));
const seed = Number(flags.seed);
const isRight = [kills, seconds].every((n) => Number.isInteger(n) && n >= 0) && kills + seconds > 0;
if (flags.help || !isRight || !Number.isInteger(seed)) {
  process.stdout.write(usage);
  process.exit(flags.help ? 0 : 2);
}

await ensureBuilt();
// Imported after the build, because these import packages.
const outcomes = [];
if (kills > 0) outcomes.push(await (await import('./kills.mjs')).killServers(kills, seed));
if (seconds > 0) outcomes.push(await (await import('./storm.mjs')).storm(seconds, { isCompared: true }));
for (const outcome of outcomes) print(outcome);
process.exitCode = outcomes.every(({ ok }) => ok) ? 0 : 1;

function print(outcome) {
  if (flags.json) return process.stdout.write(`${JSON.stringify(outcome)}\n`);
  for (const finding of outcome.findings) process.stdout.write(`${JSON.stringify(finding)}\n`);
  return process.stdout.write(`${'kills' in outcome ? killed(outcome) : stormed(outcome)}\n`);
}

function killed({ kills: count, executed, answers, findings }) {
  return `${count} servers killed (seed ${seed}), ${executed} starts worked at once, ${answers} answers looked up in the record, ${findings.length} findings.`;
}

function stormed({ calls, failedCalls, p95Ms, calmP95Ms, ratio, rssMb, findings }) {
  return `${calls} calls in ${seconds} s of storm, ${failedCalls} failed; good servers: p95 ${p95Ms} ms, ${calmP95Ms} ms in calm (${ratio?.toFixed(2)}); server ${rssMb.start} to ${rssMb.end} MB; ${findings.length} findings.`;
}
