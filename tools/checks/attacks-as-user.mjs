/** The attacks once more, as an ordinary user: where root runs the tests, they only showed what root meets. */
import { run } from '../run.mjs';

/** One check, with as many passed and failed as attacks were made; none where the tests run as such a user. */
export async function checkAttacksAsUser(modes) {
  if (process.getuid?.() !== 0) return [];
  const only = modes.length === 1 ? ['--isolation', modes[0]] : [];
  const { stdout, output } = await run(process.execPath, ['tools/attacks.mjs', '--user', '--json', ...only]);
  return [checkOf(stdout, output)];
}

function checkOf(json, output) {
  const name = 'attacks as an ordinary user';
  try {
    const { attacks } = JSON.parse(json);
    const outcomes = attacks.flatMap((attack) => Object.values(attack.outcomes));
    const fell = attacks.flatMap(({ id, details }) => details.map((detail) => ({ id, ...detail })));
    const detail = fell.map(({ id, mode, reason }) => `✗ ${id} (${mode})\n${reason}`).join('\n');
    return {
      name,
      passed: outcomes.filter((outcome) => outcome === 'held').length,
      failed: fell.length,
      detail,
    };
  } catch {
    return { name, passed: 0, failed: 1, detail: output };
  }
}
