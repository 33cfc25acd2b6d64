/**
 * Runs a program from another machine as two agents do, one of each era: `mcp-peer.mjs <url> <token> <arguments>`.
 * Prints what each of them got as a JSON array of `{ version, tools, result }`.
 */
import {
  Client as NewClient,
  StreamableHTTPClientTransport as NewTransport,
} from '@modelcontextprotocol/client';
import { Client as OldClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as OldTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';

const [url, token, args] = process.argv.slice(2);
const info = { name: 'peer', version: '0' };
const options = { requestInit: { headers: { authorization: `Bearer ${token}` } } };

async function useAs(client, transport, versionOf) {
  await client.connect(transport);
  const { tools } = await client.listTools();
  const call = { name: 'executeTypescript', arguments: JSON.parse(args) };
  const { structuredContent } = await client.callTool(call);
  const version = versionOf();
  await client.close();
  return { version, tools: tools.map(({ name }) => name), result: structuredContent.result };
}

const oldTransport = new OldTransport(new URL(url), options);
const newClient = new NewClient(info, { versionNegotiation: { mode: 'auto' } });
const results = [
  await useAs(new OldClient(info), oldTransport, () => oldTransport.protocolVersion),
  await useAs(newClient, new NewTransport(new URL(url), options), () =>
    newClient.getNegotiatedProtocolVersion(),
  ),
];
process.stdout.write(JSON.stringify(results));
