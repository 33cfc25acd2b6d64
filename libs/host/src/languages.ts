import type { LanguageName } from '@code-executor/config';
import type { Sandbox } from '@code-executor/contracts';
import { type ExecutionLanguage, python, typescript } from '@code-executor/executor';
import { DenoSandbox } from '@code-executor/sandbox-deno';
import { PyodideSandbox } from '@code-executor/sandbox-pyodide';

import { pythonOptions, typescriptOptions } from './options.js';
import type { HostSettings } from './settings.js';

/** A language, and how the host makes its sandbox. */
export interface HostLanguage extends ExecutionLanguage {
  createSandbox(settings: HostSettings): Sandbox;
}

/** All languages of the configuration. */
export const languages: Readonly<Record<LanguageName, HostLanguage>> = {
  typescript: {
    ...typescript,
    createSandbox: (settings) => new DenoSandbox(typescriptOptions(settings)),
  },
  python: {
    ...python,
    createSandbox: (settings) => new PyodideSandbox(pythonOptions(settings)),
  },
};
