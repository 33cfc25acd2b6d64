/** Runs the attacks as checks: as the current user, and if that is root, as an ordinary user too. */
import { run } from '../run.mjs';

/** One check, which counts each outcome of an attack as passed or failed. */
export async function checkAttacks(modes, { asUser = false } = {}) {
  const isRoot = process.getuid?.() === 0;
  // Without root, the attacks have already run as an ordinary user.
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
    // A run that could not start has no outcomes, so its exit code counts as one failure.
    return {
      name,
      passed: outcomes.filter((outcome) => outcome === 'held').length,
      failed: fell.length || (code === 0 ? 0 : 1),
      // For example, strict isolation may work for root but not for an ordinary user.
      note: notRun.map((reason) => `not run: ${reason}`).join('; '),
      detail: [...reasons, ...notRun].join('\n'),
    };
  } catch {
    return { name, passed: 0, failed: 1, detail: output };
  }
}
