import { type Config, enabledLanguages, type LanguageName } from '@code-executor/config';
import { type ExecutionLanguage, python, typescript } from '@code-executor/executor';

import { introductions } from '../../introductions.js';
import type { Tool } from '../../tool.js';
import { executionTool, type ExecutionToolOptions } from './execution-tool.js';

const languages: Readonly<Record<LanguageName, ExecutionLanguage>> = { typescript, python };

/** A tool for each language that is switched on. */
export function executionTools(config: Config, options: ExecutionToolOptions): Tool[] {
  return enabledLanguages(config).map((name) => executionTool(languages[name], introductions[name], options));
}
