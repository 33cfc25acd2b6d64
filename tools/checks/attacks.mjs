/** The attacks as checks: as whoever runs the tests, and, where that is root, as an ordinary user too. */
import { run } from '../run.mjs';

/** One check, with as many passed and failed as attacks were made. */
export async function checkAttacks(modes, { asUser = false } = {}) {
  const isRoot = process.getuid?.() === 0;
  // Whoever is no root has made them as an ordinary user already.
  if (asUser && !isRoot) return [];
  const only = modes.length === 1 ? ['--isolation', modes[0]] : [];
  const user = asUser ? ['--user'] : [];
  const args = ['tools/attacks.mjs', '--built', '--json', ...user, ...only];
  const { code, stdout, output } = await run(process.execPath, args);
  return [
    checkOf(isRoot && !asUser ? 'attacks as root' : 'attacks as an ordinary user', code, stdout, output),
  ];
}

function checkOf(name, code, json, output) {
  try {
    const { attacks, notRun } = JSON.parse(json);
    const outcomes = attacks.flatMap((attack) => Object.values(attack.outcomes));
    const fell = attacks.flatMap(({ id, details }) => details.map((detail) => ({ id, ...detail })));
    const reasons = fell.map(({ id, mode, reason }) => `✗ ${id} (${mode})\n${reason}`);
    // Nothing fell where nothing could be tried.
    return {
      name,
      passed: outcomes.filter((outcome) => outcome === 'held').length,
      failed: fell.length || (code === 0 ? 0 : 1),
      // An ordinary user may not be allowed what root is, such as strict isolation.
      note: notRun.map((reason) => `not run: ${reason}`).join('; '),
      detail: [...reasons, ...notRun].join('\n'),
    };
  } catch {
    return { name, passed: 0, failed: 1, detail: output };
  }
}
