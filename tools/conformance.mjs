/**
 * `npm run conformance`: the conformance suites of MCP against this product, over HTTP and as a client.
 * `-- NAME…` runs only these of the runs, `-- --list` names them. The exit code is 0 if nothing failed except what
 * tools/conformance/known-failures.mjs names.
 */
import { parseArgs } from 'node:util';

import { runSuites, suiteRuns } from './conformance/suite-runs.mjs';
import { reportChecks } from './print.mjs';

const { values, positionals } = parseArgs({
  options: { list: { type: 'boolean', default: false } },
  allowPositionals: true,
});
const names = suiteRuns.map(({ name }) => name);
const unknown = positionals.filter((name) => !names.includes(name));
if (unknown.length > 0) {
  process.stderr.write(`There is no run ${unknown.join(', ')}; the runs are ${names.join(', ')}.\n`);
  process.exitCode = 2;
} else if (values.list) {
  process.stdout.write(`${names.join('\n')}\n`);
} else {
  const { failed } = reportChecks(await runSuites(positionals.length > 0 ? positionals : names));
  process.exitCode = failed === 0 ? 0 : 1;
}
