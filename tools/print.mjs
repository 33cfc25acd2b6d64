/** Colours for terminals, and aligned columns. */

/** `green('text')` and the like; plain text unless the stream is a terminal and NO_COLOR is unset. */
export function stylesFor(stream) {
  const isColoured = stream.isTTY === true && !process.env.NO_COLOR;
  const style = (code) => (text) => (isColoured ? `\u001b[${code}m${text}\u001b[0m` : String(text));
  return { bold: style(1), dim: style(2), red: style(31), green: style(32), cyan: style(36) };
}

/** Formats rows as lines with aligned columns, and numbers to the right. */
export function columns(rows) {
  const widths = [];
  for (const row of rows) {
    row.forEach((cell, i) => (widths[i] = Math.max(widths[i] ?? 0, String(cell).length)));
  }
  return rows.map((row) =>
    row
      .map((cell, i) =>
        typeof cell === 'number' ? String(cell).padStart(widths[i]) : cell.padEnd(widths[i]),
      )
      .join('  ')
      .trimEnd(),
  );
}

/** Prints each check as a line, then the details of those that failed. Returns how many passed and failed. */
export function reportChecks(checks, stream = process.stdout) {
  const { red, green, dim } = stylesFor(stream);
  for (const { name, passed, failed, note } of checks) {
    const mark = failed ? red('✗') : passed ? green('✓') : dim('–');
    const count = failed ? `${passed} passed, ${failed} failed` : passed > 1 ? `${passed} passed` : '';
    stream.write(`  ${mark} ${name} ${dim([count, note].filter(Boolean).join(', '))}`.trimEnd() + '\n');
  }
  for (const { name, detail } of checks.filter((check) => check.failed > 0)) {
    stream.write(`\n${red(`✗ ${name}`)}\n${(detail ?? '').trimEnd()}\n\n`);
  }
  return sum(checks);
}

export function sum(checks) {
  const total = (key) => checks.reduce((count, check) => count + check[key], 0);
  return { passed: total('passed'), failed: total('failed') };
}
