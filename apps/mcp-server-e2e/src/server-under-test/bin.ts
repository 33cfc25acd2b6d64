import { fileURLToPath } from 'node:url';

/** The command that starts the built server. */
export const bin = fileURLToPath(new URL('../../../mcp-server/bin/code-executor-mcp.js', import.meta.url));
