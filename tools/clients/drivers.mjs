/** How each client is configured and started: one prompt, no questions of its own, our server as its only one. */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

const json = (value) => JSON.stringify(value, null, 2);

/** A hook in place of the person, who is not there in a run without a terminal. */
const agreement = { hookEventName: 'Elicitation', action: 'accept', content: { c1: 'yes, once' } };
const agreeing = {
  hooks: [{ type: 'command', command: `echo '${JSON.stringify({ hookSpecificOutput: agreement })}'` }],
};

/** `connection` is `{ command, args, env }` for stdio or `{ url, token }` for HTTP. Each returns what to run. */
export const drivers = {
  'claude-code': {
    bin: 'claude',
    async prepare(home, { url, token, ...stdio }, model) {
      const entry = url
        ? { type: 'http', url, headers: { Authorization: `Bearer ${token}` } }
        : { type: 'stdio', ...stdio };
      const config = join(home, 'mcp.json');
      await writeFile(config, json({ mcpServers: { 'code-executor': entry } }));
      await mkdir(join(home, '.claude'), { recursive: true });
      await writeFile(join(home, '.claude', 'settings.json'), json({ hooks: { Elicitation: [agreeing] } }));
      const flags = ['--strict-mcp-config', '--mcp-config', config, '--dangerously-skip-permissions'];
      return {
        args: ['-p', 'Go.', '--output-format', 'json', ...flags],
        env: {
          ANTHROPIC_BASE_URL: model,
          ANTHROPIC_API_KEY: 'sk-none',
          DISABLE_TELEMETRY: '1',
          DISABLE_AUTOUPDATER: '1',
          CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
          IS_SANDBOX: '1',
          MCP_TIMEOUT: '30000',
          // The script knows the names of the tools.
          ENABLE_TOOL_SEARCH: 'false',
        },
      };
    },
  },
  codex: {
    bin: 'codex',
    async prepare(home, { url, token, command, args, env }, model) {
      const entry = url
        ? `url = ${json(url)}\nbearer_token_env_var = "OUR_TOKEN"\n`
        : `command = ${json(command)}\nargs = ${JSON.stringify(args)}\n[mcp_servers.code-executor.env]\n${Object.entries(
            env,
          )
            .map(([name, value]) => `${name} = ${json(value)}`)
            .join('\n')}\n`;
      const timeouts = 'startup_timeout_sec = 30\ntool_timeout_sec = 300\n';
      const provider = `model = "gpt-5"\nmodel_provider = "scripted"\n[model_providers.scripted]\nname = "scripted"\nbase_url = "${model}/v1"\nwire_api = "responses"\nenv_key = "MODEL_KEY"\n`;
      await mkdir(join(home, '.codex'), { recursive: true });
      const server = `[mcp_servers.code-executor]\n${timeouts}${entry}`;
      await writeFile(join(home, '.codex', 'config.toml'), `${provider}\n${server}`);
      return {
        args: [
          'exec',
          '--skip-git-repo-check',
          '--dangerously-bypass-approvals-and-sandbox',
          '--json',
          'Go.',
        ],
        env: { MODEL_KEY: 'none', OUR_TOKEN: token ?? '', CODEX_HOME: join(home, '.codex') },
      };
    },
  },
  'gemini-cli': {
    bin: 'gemini',
    async prepare(home, { url, token, ...stdio }, model) {
      const entry = url ? { httpUrl: url, headers: { Authorization: `Bearer ${token}` } } : stdio;
      const settings = {
        mcpServers: { 'code-executor': { ...entry, trust: true, timeout: 300_000 } },
        security: { auth: { selectedType: 'gemini-api-key' } },
        privacy: { usageStatisticsEnabled: false },
        general: { disableAutoUpdate: true, enableAutoUpdate: false },
        telemetry: { enabled: false },
      };
      await mkdir(join(home, '.gemini'), { recursive: true });
      await writeFile(join(home, '.gemini', 'settings.json'), json(settings));
      return {
        args: ['-p', 'Go.', '--yolo', '--output-format', 'json', '-m', 'gemini-2.5-flash'],
        env: {
          GEMINI_API_KEY: 'none',
          GOOGLE_GEMINI_BASE_URL: model,
          GEMINI_CLI_TRUST_WORKSPACE: 'true',
        },
      };
    },
  },
};
