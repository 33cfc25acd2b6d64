/** Which isolation modes the tests run in, and why one of them cannot run here. */
import { run } from './run.mjs';

const modes = ['strict', 'portable'];

/** Why strict isolation cannot work here, or undefined. Finds out by starting an isolated process. */
export async function strictIsUnavailable() {
  if (process.platform !== 'linux') return `it needs Linux, and this is ${process.platform}`;
  const probe = await run('bwrap', ['--unshare-all', '--ro-bind', '/', '/', 'true']);
  if (probe.code === 0) return undefined;
  if (probe.missing) return 'bubblewrap is not installed; apt-get install bubblewrap';
  return `bubblewrap does not work here: ${probe.stderr.trim().split('\n')[0]}`;
}

/**
 * Plans what to run, from the requested mode and what the machine supports: the `modes` to run, `notRun` with the
 * reasons, and whether that is a failure.
 */
export function planIsolation({ requested, strictProblem, isCi }) {
  if (requested !== undefined && !modes.includes(requested)) {
    throw new Error(`--isolation is strict or portable, not "${requested}".`);
  }
  if (requested === 'strict' && strictProblem) {
    return { modes: [], notRun: [`strict isolation: ${strictProblem}`], isFailure: true };
  }
  if (requested) {
    const other = modes.find((mode) => mode !== requested);
    return {
      modes: [requested],
      notRun: [`${other} isolation: only ${requested} was asked for`],
      isFailure: false,
    };
  }
  if (strictProblem) {
    return { modes: ['portable'], notRun: [`strict isolation: ${strictProblem}`], isFailure: isCi };
  }
  return { modes, notRun: [], isFailure: false };
}
