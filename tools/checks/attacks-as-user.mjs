/** The attacks once more, as an ordinary user: where root runs the tests, they only showed what root meets. */
import { run } from '../run.mjs';

/** One check, with as many passed and failed as attacks were made; none where the tests run as such a user. */
export async function checkAttacksAsUser(modes) {
  if (process.getuid?.() !== 0) return [];
  const only = modes.length === 1 ? ['--isolation', modes[0]] : [];
  const { code, stdout, output } = await run(process.execPath, [
    'tools/attacks.mjs',
    '--built',
    '--user',
    '--json',
    ...only,
  ]);
  return [checkOf(code, stdout, output)];
}

function checkOf(code, json, output) {
  const name = 'attacks as an ordinary user';
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
      detail: [...reasons, ...notRun].join('\n'),
    };
  } catch {
    return { name, passed: 0, failed: 1, detail: output };
  }
}
