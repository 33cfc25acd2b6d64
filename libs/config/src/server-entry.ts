import * as z from 'zod';

import { anyText, text } from './text.js';

/** An upstream server that is started as a child process and spoken to over stdio. */
export interface StdioServerConfig {
  command: string;
  args?: string[];
  /** Variables for the child besides those of {@link baseEnvironment}. */
  env?: Record<string, string>;
  /** Default: the working directory of this process. */
  cwd?: string;
  /** Which eras of MCP are tried. Default: `legacy`. */
  protocol?: 'legacy' | 'auto';
  /** How long it may take to start and list its tools, in ms. Default: `pool.connectTimeoutMs`. */
  connectTimeoutMs?: number;
}

/** An upstream server that is spoken to over HTTP. */
export interface HttpServerConfig {
  /** `http` is Streamable HTTP, `sse` the older transport; absent: both are tried. */
  type?: 'http' | 'sse';
  url: string;
  headers?: Record<string, string>;
  /** Which eras of MCP are tried. Default: `auto`. */
  protocol?: 'legacy' | 'auto';
  /** How a login there is made. */
  oauth?: OAuthConfig;
  /** How long it may take to answer and list its tools, in ms. Default: `pool.connectTimeoutMs`. */
  connectTimeoutMs?: number;
}

/** The client that logs in at a server. */
export interface OAuthConfig {
  clientId?: string;
  clientSecret?: string;
  clientMetadataUrl?: string;
  scopes?: string[];
}

export type UpstreamServerConfig = StdioServerConfig | HttpServerConfig;

export const serverNamePattern = /^[A-Za-z0-9_.-]{1,128}$/;
/** The pattern in words. */
export const serverNameRule = 'letters, digits, "_", "-" and ".", at most 128';

export const maxConnectTimeoutMs = 600_000;

/** How a login at a remote server is made. */
const oauthShape = {
  clientId: text()
    .meta({
      description:
        'The client that you registered with the authorization server of a remote server. Default: it is registered at the login.',
    })
    .exactOptional(),
  clientSecret: text().meta({ description: 'Its secret, as `env:NAME`. Default: none.' }).exactOptional(),
  clientMetadataUrl: z
    .url({ protocol: /^https$/ })
    .meta({
      description:
        'The address (`https:`) of a client metadata document of yours, for authorization servers that take one. Default: none.',
    })
    .exactOptional(),
  scopes: z
    .array(text())
    .meta({ description: 'Asked for at a login, besides what the server asks for. Default: [].' })
    .exactOptional(),
};

/** One server definition as our file and the clients' files spell it. */
export const serverEntryShape = {
  type: z
    .enum(['stdio', 'http', 'sse', 'streamable-http', 'streamableHttp'])
    .meta({
      description: 'How the server is reached. Default: `stdio` with a command, found out with a URL.',
    })
    .exactOptional(),
  command: text().meta({ description: 'The program to start (stdio).' }).exactOptional(),
  args: z.array(anyText()).meta({ description: 'Its arguments.' }).exactOptional(),
  env: z
    .record(text(), anyText())
    .meta({ description: 'Environment variables for it; it inherits only a few harmless ones.' })
    .exactOptional(),
  cwd: text().meta({ description: 'Its working directory.' }).exactOptional(),
  url: text().meta({ description: 'The address of a remote server (`http:` or `https:`).' }).exactOptional(),
  headers: z
    .record(text(), anyText())
    .meta({ description: 'HTTP headers sent to a remote server.' })
    .exactOptional(),
  protocol: z
    .enum(['legacy', 'auto'])
    .meta({
      description:
        'Which MCP is spoken: `auto` asks for 2026-07-28 first, `legacy` does not. Default: auto with a URL, legacy with a command.',
    })
    .exactOptional(),
  oauth: z.strictObject(oauthShape).exactOptional(),
  connectTimeoutMs: z
    .int()
    .min(1000)
    .max(maxConnectTimeoutMs)
    .meta({
      description: 'How long it may take to start and list its tools, in ms. Default: pool.connectTimeoutMs.',
    })
    .exactOptional(),
  disabled: z
    .boolean()
    .meta({ description: 'Leave this server out, also where another file defines it. Default: false.' })
    .exactOptional(),
};

/** For files of other programs, whose other fields are ignored. */
export const foreignServerEntry = z
  .object({
    ...serverEntryShape,
    // Some have a key of this name with another meaning.
    oauth: z.object(oauthShape).optional().catch(undefined),
  })
  .transform(({ oauth, ...entry }) => ({ ...entry, ...(oauth && { oauth }) }));
export type ServerEntry = z.infer<typeof foreignServerEntry>;

/** The entry as a server, or a text that says what is wrong with the combination of its fields. */
export function toUpstreamServer(entry: ServerEntry): UpstreamServerConfig | string {
  const { type, command, args, env, cwd, url, headers, oauth, protocol, connectTimeoutMs } = entry;
  const limits = {
    ...(protocol !== undefined && { protocol }),
    ...(connectTimeoutMs !== undefined && { connectTimeoutMs }),
  };
  if (command !== undefined && url !== undefined) return 'has both a command and a url; keep one';
  if (type === 'stdio' ? command === undefined : type !== undefined && url === undefined) {
    return `has the type ${type} but no ${type === 'stdio' ? 'command' : 'url'}`;
  }
  if (command !== undefined) {
    return {
      command,
      ...(args && { args }),
      ...(env && { env }),
      ...(cwd !== undefined && { cwd }),
      ...limits,
    };
  }
  if (url === undefined) return 'needs a command or a url';
  if (!isHttpUrl(url)) return 'needs a url that begins with http:// or https://';
  const transport = type === undefined ? undefined : type === 'sse' ? 'sse' : 'http';
  return {
    ...(transport && { type: transport }),
    url,
    ...(headers && { headers }),
    ...(oauth && { oauth }),
    ...limits,
  };
}

function isHttpUrl(url: string): boolean {
  return URL.canParse(url) && ['http:', 'https:'].includes(new URL(url).protocol);
}
