import type { HttpServer, StdioServer, UpstreamServer } from '../options.js';
import { runnerPackage } from './runner-package.js';

/** `--api-key=abc`, `--api-key` before its value, `API_KEY=abc`: their names show that these are secrets. */
const secretOption =
  /^(?<dashes>--?)?[\w-]*(?:key|token|secret|passw|pwd|auth|cred|header)[\w-]*(?:=(?<value>.*))?$/is;

/** An option such as `-y` or `--port=80`, a path, a file such as `server.js`, a package of a scope. */
const harmlessArg =
  /^(?:-.*|[/\\].*|~.*|\.{1,2}[/\\].*|[a-z]:[/\\].*|[^=]*\.[a-z]{1,4}|@[\w.-]+\/[\w.@-]+)$/is;
/** Options that a name follows, such as that of a variable or a module: `docker run -e NAME`, `python -m module`. */
const namingOption = /^(?:-e|--env|-m)$/;
/** An image such as `mcp/postgres:1`, for commands that run images. */
const imageName = /^[a-z0-9][\w.-]*(?:\/[\w.-]+)+(?::[\w.-]+)?$/;
const imageRunner = /(?:^|[/\\])(?:docker|podman|nerdctl)(?:\.exe)?$/i;

/** What the configuration of a server may hold as secrets. */
export function secretsOf(server: UpstreamServer): string[] {
  return 'command' in server ? secretsOfProcess(server) : secretsOfUrl(server);
}

/** The arguments of a process without what may be secret in them. */
export function withoutSecrets(args: readonly string[]): string[] {
  return args.map((arg, index) => {
    if (URL.canParse(arg)) return withoutCredentials(arg);
    const secrets = secretsOfArg(arg, args[index - 1] ?? '');
    return secrets.reduce((shown, secret) => shown.replaceAll(secret, ''), arg);
  });
}

/** The place that an address names, and the names of its parameters. */
export function withoutCredentials(address: string): string {
  if (!URL.canParse(address)) return '';
  const { protocol, host, pathname, searchParams } = new URL(address);
  return JSON.stringify([protocol, host, pathname, [...searchParams.keys()]]);
}

/** What is secret in the arguments of a process by the names of options, or in an address. */
export function namedSecretsOf(server: UpstreamServer): string[] {
  const { args = [] } = 'command' in server ? server : {};
  return args.flatMap((arg, index) => secretsOfArg(arg, args[index - 1] ?? ''));
}

function secretsOfProcess(server: StdioServer): string[] {
  const { command, env = {}, args = [] } = server;
  const fetched = runnerPackage(server)?.name;
  const isName = (arg: string, previous = '') =>
    arg === fetched ||
    (namingOption.test(previous) && /^[\w.]+$/.test(arg)) ||
    (imageRunner.test(command) && imageName.test(arg));
  // What these mean cannot be known.
  const others = args.filter(
    (arg, index) => !URL.canParse(arg) && !harmlessArg.test(arg) && !isName(arg, args[index - 1]),
  );
  return [...Object.values(env), ...namedSecretsOf(server), ...others];
}

/** The longest one first; none is empty. */
function secretsOfArg(arg: string, previous: string): string[] {
  const { dashes, value } = secretOption.exec(previous)?.groups ?? {};
  const isValue = dashes !== undefined && value === undefined;
  const own = isValue ? arg : secretOption.exec(arg)?.groups?.['value'];
  if (own !== undefined) return withLastWord(own).filter((secret) => secret !== '');
  return URL.canParse(arg) ? credentialsOf(new URL(arg)) : [];
}

function secretsOfUrl({ url, headers = {}, oauth }: HttpServer): string[] {
  const ofHeaders = Object.values(headers).flatMap(withLastWord);
  const ofClient = oauth?.clientSecret === undefined ? [] : [oauth.clientSecret];
  return [...ofHeaders, ...ofClient, ...(URL.canParse(url) ? credentialsOf(new URL(url)) : [url])];
}

/** A header such as `Authorization: Bearer abc` is secret as a whole and in its last word. */
function withLastWord(value: string): string[] {
  return [value, value.split(' ').pop() ?? ''];
}

/** What is secret in an address, and the address as a whole if something is. */
function credentialsOf({ href, username, password, searchParams }: URL): string[] {
  const values = [username, password].flatMap((value) => [value, decode(value)]);
  const secrets = [...values, ...searchParams.values()].filter((value) => value !== '');
  return secrets.length > 0 ? [href, ...secrets] : [];
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
