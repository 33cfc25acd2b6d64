import { parseArgs } from 'node:util';

export const usage = `Usage: code-executor-mcp [--config <file>] [--http [--no-auth]]

An MCP server on stdin and stdout. It gives an agent two tools, executeTypescript and executePython,
whose sandboxed programs can call the tools of all your other MCP servers.

Options:
  --config <file>  Read this configuration and no other.
  --http           Serve MCP and your tools over HTTP, to programs on this machine unless configured otherwise.
  --no-auth        With --http: ask for no token; every program on this machine may call your tools.
  -v, --version    Print the version.
  -h, --help       Print this.

Without --config, the first of these is read: ~/.code-executor.json,
$XDG_CONFIG_HOME/code-executor/config.json, ~/.code-executor/config.json.
Your MCP servers are taken from ~/.claude.json and the configuration. The project's .mcp.json and
.code-executor.json count once you have run: code-executor trust

Examples:
  code-executor-mcp
  code-executor-mcp --config ./code-executor.json
  code-executor-mcp --http
  claude mcp add code-executor -- code-executor-mcp
  LOG_LEVEL=debug code-executor-mcp 2> code-executor.log
`;

/** What the command line asks for. */
export type Command =
  | { name: 'help' }
  | { name: 'version' }
  | { name: 'serve'; configFile?: string }
  | { name: 'serve-http'; needsToken: boolean; configFile?: string }
  | { name: 'misuse'; problem: string };

const options = {
  config: { type: 'string' },
  http: { type: 'boolean' },
  'no-auth': { type: 'boolean' },
  help: { type: 'boolean', short: 'h' },
  version: { type: 'boolean', short: 'v' },
} as const;

/** Reads the command line; never throws. */
export function parseArguments(args: readonly string[]): Command {
  const { values, tokens } = parseArgs({
    args: [...args],
    options,
    strict: false,
    allowPositionals: true,
    tokens: true,
  });
  for (const token of tokens) {
    if (token.kind === 'positional') {
      return { name: 'misuse', problem: `unexpected argument ${quote(token.value)}` };
    }
    if (token.kind === 'option' && !Object.hasOwn(options, token.name)) {
      return { name: 'misuse', problem: `unknown option ${quote(token.rawName)}${hint(token.name)}` };
    }
    if (token.kind === 'option' && token.name !== 'config' && token.value !== undefined) {
      return { name: 'misuse', problem: `${token.rawName} takes no value` };
    }
  }
  if (values.help === true) return { name: 'help' };
  if (values.version === true) return { name: 'version' };
  const needsToken = values['no-auth'] !== true;
  if (values.http !== true && !needsToken) return { name: 'misuse', problem: '--no-auth needs --http' };
  const serve: Command = values.http === true ? { name: 'serve-http', needsToken } : { name: 'serve' };
  if (values.config === undefined) return serve;
  return typeof values.config === 'string' && values.config !== ''
    ? { ...serve, configFile: values.config }
    : { name: 'misuse', problem: '--config needs a file' };
}

/** People mistype the end of a word rather than its beginning, and mostly by the order of its letters. */
function hint(name: string): string {
  const common = (known: string) => known.split('').filter((letter) => name.includes(letter)).length;
  const [nearest] = Object.keys(options)
    .filter((known) => known.startsWith(name.slice(0, 1).toLowerCase()))
    .sort((a, b) => common(b) - common(a));
  return nearest === undefined ? '' : `; did you mean --${nearest}?`;
}

function quote(text: string): string {
  return JSON.stringify(text.slice(0, 60));
}
