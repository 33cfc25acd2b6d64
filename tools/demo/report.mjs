/** Prints the outcome of the demo as text. */
import { columns, stylesFor } from '../print.mjs';

export function printReport(outcome, stream = process.stdout) {
  const { bold, dim, green, red, cyan } = stylesFor(stream);
  const { tokens, runs } = outcome;
  const section = (title, lines) => stream.write(`\n${bold(title)}\n${lines.join('\n')}\n`);
  const number = (value) => Math.round(value).toLocaleString('en-US');

  for (const { language, code } of runs) {
    const lines = code.trimEnd().split('\n');
    section(
      `The program that the agent sent, in ${language}`,
      lines.map((line) => `  ${cyan(line)}`.trimEnd()),
    );
  }
  for (const { language, toolCalls } of runs) {
    section(`Tool calls made inside the sandbox, by ${language}`, [
      ...columns([
        ['  tool', 'calls', 'average', 'together'],
        ...toolCalls.map(({ tool, calls, averageMs, totalMs }) => [
          `  ${tool}`,
          calls,
          `${averageMs} ms`,
          `${totalMs} ms`,
        ]),
      ]),
    ]);
  }
  const servers = Object.entries(tokens.upstreamServers);
  const upstreamTools = servers.reduce((sum, [, { tools }]) => sum + tools, 0);
  section('What the agent saw', [
    `  Tools: ${outcome.tools.join(', ')}`,
    ...runs.map(({ language, answer, error }) => `  ${language}: ${JSON.stringify(answer ?? error)}`),
  ]);
  section(`Tokens in its context ${dim('(o200k)')}`, [
    ...columns([
      ['  our tool list', number(tokens.ours), `${outcome.tools.length} tools`],
      [
        '  instead of',
        number(tokens.upstream),
        `${upstreamTools} tools of ${servers.map(([name]) => name).join(', ')}`,
      ],
      ['  one answer', number(Math.max(...runs.map(({ answerTokens }) => answerTokens))), 'the whole report'],
      ['  instead of', number(tokens.filesRead), 'the files that the program read'],
    ]),
  ]);
  stream.write('\n');
  for (const { language, ok, isolation, durationMs } of runs) {
    const verdict = ok
      ? green(`✓ ${language}: the answer is right.`)
      : red(`✗ ${language}: expected ${JSON.stringify(outcome.expected)}.`);
    stream.write(
      `${verdict} Isolation: ${bold(isolation ?? 'none')}. ` +
        `From server start to exit: ${bold(`${(durationMs / 1000).toFixed(1)} s`)}.\n`,
    );
  }
}
