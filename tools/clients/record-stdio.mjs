/** Runs a server on stdin and stdout, and appends every line of both directions to a file. */
import { spawn } from 'node:child_process';
import { appendFileSync } from 'node:fs';
import { createInterface } from 'node:readline';

const [file, command, ...args] = process.argv.slice(2);
const child = spawn(command, args, { stdio: ['pipe', 'pipe', 'inherit'] });
const record = (from, line) => appendFileSync(file, `${JSON.stringify({ from, at: Date.now(), line })}\n`);
createInterface({ input: process.stdin })
  .on('line', (line) => {
    record('client', line);
    child.stdin.write(`${line}\n`);
  })
  .on('close', () => child.stdin.end());
createInterface({ input: child.stdout }).on('line', (line) => {
  record('server', line);
  process.stdout.write(`${line}\n`);
});
for (const name of ['SIGTERM', 'SIGINT']) process.on(name, () => child.kill(name));
child.on('exit', (code) => process.exit(code ?? 1));
