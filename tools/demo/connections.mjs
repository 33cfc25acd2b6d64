/** MCP clients over stdio that can all be closed at once, whatever happens. */
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';

export class Connections {
  #clients = new Set();

  /** Starts the server in `home`, so that it does not find the user's settings, and connects. */
  async open({ command, args, env }, home) {
    const client = new Client({ name: 'code-executor-demo', version: '1.0.0' });
    this.#clients.add(client);
    const transport = new StdioClientTransport({
      command,
      args,
      cwd: home,
      env: { HOME: home, USERPROFILE: home, XDG_CONFIG_HOME: home, ...env },
      stderr: 'pipe',
    });
    let stderr = '';
    transport.stderr.on('data', (chunk) => (stderr += chunk));
    try {
      await client.connect(transport);
    } catch (error) {
      throw new Error(`${error.message}\n${stderr}`.trim(), { cause: error });
    }
    return client;
  }

  /** Resolves when the server's process has ended. */
  async close(client) {
    await client.close();
    this.#clients.delete(client);
  }

  async closeAll() {
    await Promise.all([...this.#clients].map((client) => this.close(client)));
  }
}
