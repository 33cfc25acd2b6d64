import { CodeExecutorError } from '@code-executor/contracts';

import type { HostCall } from '../host-call.js';

const maxShownNameChars = 200;
const maxTypes = 100;

/** The declarations of some tools, one after the other. */
export const toolTypes: HostCall = {
  async answer({ names }, { tools }, signal) {
    if (!Array.isArray(names) || names.length > maxTypes || names.some((name) => typeof name !== 'string')) {
      const problem = `The names of the tools must be a list of at most ${maxTypes} strings.`;
      throw new CodeExecutorError('invalid_argument', problem);
    }
    const texts = (names as string[]).map(async (name) => {
      const [tool] = (await tools.listTools({ name, detail: 'types', signal })).tools;
      if (tool) return tool.types ?? '';
      const shown = name.slice(0, maxShownNameChars);
      const problem = `Tool ${shown} does not exist, or its server is unavailable; search for tools to see what there is.`;
      throw new CodeExecutorError('not_found', problem, { tool: shown });
    });
    return (await Promise.all(texts)).join('\n\n');
  },
};
