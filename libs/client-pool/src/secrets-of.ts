import type { HttpServer, StdioServer, UpstreamServer } from './options.js';

/** `--api-key=abc`, `--api-key` before its value, `API_KEY=abc`: by their names, these are secrets. */
const secretOption =
  /^(?<dashes>--?)?[\w-]*(?:key|token|secret|passw|pwd|auth|cred|header)[\w-]*(?:=(?<value>.*))?$/is;

/** What the configuration of a server may hold as secrets. */
export function secretsOf(server: UpstreamServer): string[] {
  return 'command' in server ? secretsOfProcess(server) : secretsOfUrl(server);
}

function secretsOfProcess({ env = {}, args = [] }: StdioServer): string[] {
  const ofArgs = args.flatMap((arg, index) => {
    const { dashes, value } = secretOption.exec(arg)?.groups ?? {};
    if (value !== undefined) return withLastWord(value);
    if (dashes !== undefined) return withLastWord(args[index + 1] ?? '');
    return URL.canParse(arg) ? credentialsOf(new URL(arg)) : [];
  });
  return [...Object.values(env), ...ofArgs];
}

function secretsOfUrl({ url, headers = {} }: HttpServer): string[] {
  const ofHeaders = Object.values(headers).flatMap(withLastWord);
  return [...ofHeaders, ...(URL.canParse(url) ? credentialsOf(new URL(url)) : [url])];
}

/** A header such as `Authorization: Bearer abc` is secret as a whole and in its last word. */
function withLastWord(value: string): string[] {
  return [value, value.split(' ').pop() ?? ''];
}

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
