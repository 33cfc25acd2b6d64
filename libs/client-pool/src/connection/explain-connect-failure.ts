import { ConnectFailure } from './connect-failure.js';
import { type Loss, type RequestFault, systemCode } from './connection-errors.js';
import { costLimit } from '../transport/message-limits.js';
import { loginCommand } from '../login/login-needed.js';
import type { StdioServer, UpstreamServer } from '../options.js';
import { runnerPackage } from './runner-package.js';

/** What is known when a server could not be connected. */
export interface ConnectAttempt {
  name: string;
  server: UpstreamServer;
  /** Set if the time limit was reached. */
  timeoutMs: number | undefined;
  loss: Loss | undefined;
  /** "start a session", "list its tools". */
  purpose: string;
  fault: RequestFault;
  /** Lines on the stdout of a process that were not messages. */
  garbageLines: number;
  /** The log has what the server said. */
  isLogged: boolean;
}

type Explanation = [reason: string, fix: string];

/**
 * Why a server could not be connected, and what helps. It repeats nothing that the server said, because programs, the
 * model and `health` get it, and what a server says when it fails may hold secrets.
 */
export function explainConnectFailure(attempt: ConnectAttempt): ConnectFailure {
  const [reason, fix] =
    attempt.fault.kind === 'too_large'
      ? whyTooLarge
      : attempt.fault.kind === 'crowded'
        ? whyCrowded
        : attempt.timeoutMs !== undefined
          ? whySilent(attempt, attempt.timeoutMs)
          : 'command' in attempt.server
            ? whyProcessFailed(attempt, attempt.server)
            : whyUrlFailed(attempt);
  return new ConnectFailure(attempt.name, `${reason}${garbage(attempt)}`, fix, attempt.fault.cause);
}

const whyTooLarge: Explanation = [
  `it answered with more than is taken at once, ${costLimit}`,
  'Configure the server to offer fewer tools, or remove it.',
];

const whyCrowded: Explanation = [
  'it answered with more than 1 MB while other answers took all the memory that they may have',
  'Call again in a moment.',
];

function whySilent(attempt: ConnectAttempt, timeoutMs: number): Explanation {
  const more = `If it needs longer, raise connectTimeoutMs of ${attempt.name} or pool.connectTimeoutMs in your configuration.`;
  return [`it did not answer within ${timeoutMs / 1000} s`, `${more} ${advice(attempt)}`];
}

function whyProcessFailed(attempt: ConnectAttempt, server: StdioServer): Explanation {
  const { name, loss, fault } = attempt;
  const code = systemCode(fault.cause);
  if (code === 'ENOENT' || code === 'EACCES') {
    const command = server.command.split(/[/\\]/).pop() ?? '';
    const problem = code === 'ENOENT' ? 'was not found' : 'may not be executed';
    const place = server.cwd === undefined ? '' : ', or its working directory,';
    return [
      `its command ${command}${place} ${problem}`,
      `Install it, or correct command of ${name} in your configuration.`,
    ];
  }
  if (!loss) return [failedTo(attempt), advice(attempt)];
  const fetched = runnerPackage(server);
  if (!fetched) return [`it ${loss.how}`, advice(attempt)];
  return [
    `${fetched.runner} could not run the package ${fetched.name}: it ${loss.how}`,
    `Check that there is a package of that name. ${advice(attempt)}`,
  ];
}

function whyUrlFailed(attempt: ConnectAttempt): Explanation {
  const { name, loss, fault } = attempt;
  const { kind, status = 0 } = fault;
  if (kind === 'scope') {
    const { scopes = [] } = fault;
    const lacks = scopes.length === 0 ? 'does not permit this' : `lacks ${scopes.join(', ')}`;
    return [`the login there ${lacks}`, `Run: ${loginCommand(name)}`];
  }
  if (kind === 'http') {
    if (status === 401) {
      const fix = `Put what it wants, such as an Authorization header with a token, into headers of ${name} in your configuration.`;
      return ['it wants a login (HTTP 401)', fix];
    }
    if (status === 403) {
      const fix = `Check the headers of ${name} in your configuration, and what their token permits.`;
      return ['it refuses access (HTTP 403)', fix];
    }
    if (status === 404) {
      const fix = `Correct the url of ${name} in your configuration; the path of many is /mcp or /sse.`;
      return ['there is nothing at its url (HTTP 404)', fix];
    }
    if (status >= 500) {
      const fix = `See to the server at the url of ${name}; it is tried again later.`;
      return [`it failed (HTTP ${status})`, fix];
    }
    return [`it does not speak MCP there (HTTP ${status})`, advice(attempt)];
  }
  if (kind === 'media_type') {
    const what = fault.mediaType === 'text/html' ? 'a web page' : 'something else';
    const fix = `Correct the url of ${name} in your configuration; the path of many is /mcp or /sse.`;
    return [`its url answers with ${what}, not with MCP`, fix];
  }
  if (loss) return [`it ${loss.how}`, advice(attempt)];
  return [failedTo(attempt), advice(attempt)];
}

function failedTo({ purpose, fault: { rpcCode } }: ConnectAttempt): string {
  return `it failed to ${purpose}${rpcCode === undefined ? '' : ` (error ${rpcCode})`}`;
}

function advice({ name, server, isLogged }: ConnectAttempt): string {
  const log = 'See what it said in the log of Code Executor (its stderr), and check';
  if ('command' in server) {
    const look = isLogged ? log : 'Run its command by hand to see why, and check';
    return `${look} command, args and env of ${name} in your configuration.`;
  }
  return `${isLogged ? log : 'Check that it runs, and'} the url of ${name} in your configuration.`;
}

function garbage({ garbageLines }: ConnectAttempt): string {
  if (garbageLines === 0) return '';
  const lines = garbageLines === 1 ? 'a line' : `${garbageLines} lines`;
  return `, and wrote ${lines} to stdout that ${garbageLines === 1 ? 'is no MCP message' : 'are no MCP messages'}`;
}
