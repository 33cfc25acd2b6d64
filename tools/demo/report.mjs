/** The demo's outcome for people. */
import { columns, stylesFor } from '../print.mjs';

export function printReport(outcome, stream = process.stdout) {
  const { bold, dim, green, red, cyan } = stylesFor(stream);
  const { tokens } = outcome;
  const section = (title, lines) => stream.write(`\n${bold(title)}\n${lines.join('\n')}\n`);
  const number = (value) => Math.round(value).toLocaleString('en-US');

  section(
    'The program that the agent sent',
    outcome.code
      .trimEnd()
      .split('\n')
      .map((line) => `  ${cyan(line)}`.trimEnd()),
  );
  section('Tool calls made inside the sandbox', [
    ...columns([
      ['  tool', 'calls', 'average', 'together'],
      ...outcome.toolCalls.map(({ tool, calls, averageMs, totalMs }) => [
        `  ${tool}`,
        calls,
        `${averageMs} ms`,
        `${totalMs} ms`,
      ]),
    ]),
  ]);
  const servers = Object.entries(tokens.upstreamServers);
  const upstreamTools = servers.reduce((sum, [, { tools }]) => sum + tools, 0);
  section('What the agent saw', [
    `  Tools: ${outcome.tools.join(', ')}`,
    `  Answer: ${JSON.stringify(outcome.answer ?? outcome.error)}`,
  ]);
  section(`Tokens in its context ${dim('(o200k)')}`, [
    ...columns([
      ['  our tool list', number(tokens.ours), `${outcome.tools.length} tools`],
      [
        '  instead of',
        number(tokens.upstream),
        `${upstreamTools} tools of ${servers.map(([name]) => name).join(', ')}`,
      ],
      ['  the answer', number(tokens.answer), 'the whole report'],
      ['  instead of', number(tokens.filesRead), 'the files that the program read'],
    ]),
  ]);
  const verdict = outcome.ok
    ? green('✓ The answer is right.')
    : red(`✗ Expected ${JSON.stringify(outcome.expected)}.`);
  stream.write(
    `\n${verdict} Isolation: ${bold(outcome.isolation ?? 'none')}. ` +
      `From server start to exit: ${bold(`${(outcome.durationMs / 1000).toFixed(1)} s`)}.\n`,
  );
}
