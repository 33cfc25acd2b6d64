/** What the scripted model does with each client, step by step; the last ones need an answer of the person. */
const picture =
  '<svg xmlns="http://www.w3.org/2000/svg" width="8" height="8"><rect width="8" height="8"/></svg>';
const echo = 'mcp__everything__echo';
/** The tool that the policy wants asked, see start-server.mjs. */
export const askedTool = 'echo';

const program = (code, more = {}) => ({ tool: 'executeTypescript', args: { code, ...more } });

export const stepsFor = (longMs) => [
  program(`display('${picture}')`),
  program(`await new Promise((resolve) => setTimeout(resolve, ${longMs})); return 'long enough'`, {
    timeoutMs: longMs + 30_000,
  }),
  program(
    `return await callMCPTool('${echo}', { message: 'hello' }).catch((error) => error.code + ': ' + error.message)`,
    { allowedTools: [echo] },
  ),
];
