/** A hook for tests: it does what the argument `do` of the call says, or else decides so. */
import { readFileSync } from 'node:fs';

const call = JSON.parse(readFileSync(0, 'utf8'));
const ways = {
  crash: () => process.exit(3),
  hang: () => setInterval(() => {}, 1000),
  garbage: () => console.log('allow'),
  flood: () => setInterval(() => process.stdout.write('x'.repeat(100_000)), 1),
};
const decide = (decision) =>
  console.log(
    JSON.stringify({ decision, reason: `${call.caller.kind} wants ${call.tool} of ${call.server}` }),
  );
const way = call.arguments.do;
(ways[way] ?? (() => decide(way)))();
