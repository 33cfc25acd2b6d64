import { relative } from 'node:path';

import type { ProjectRequest, RequestedServer, RequestedSetting } from './project-request.js';

/** Control characters, and characters that change the direction of a text or are invisible. */
const unprintable = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;

/**
 * Everything that approving a project would change, for a person to read: lines that cannot steer a terminal.
 */
export function describeRequest({ folder, files, servers, settings, problems }: ProjectRequest): string {
  const lines: string[] = [];
  for (const { path } of files) {
    lines.push(`${relative(folder, path)}:`);
    const own = servers.filter((server) => server.path === path);
    for (const server of own) lines.push(...serverLines(server));
    const isConfig = path.endsWith('.code-executor.json');
    if (isConfig) for (const setting of settings) lines.push(settingLine(setting));
    if (own.length === 0 && !(isConfig && settings.length > 0)) lines.push('  asks for nothing');
  }
  for (const problem of problems) lines.push(`Problem: ${problem}`);
  return lines.map((line) => `${line.replace(unprintable, '\uFFFD')}\n`).join('');
}

function serverLines(server: RequestedServer): string[] {
  const { name, command, cwd, url, headers, environment, reads, replaces, problem } = server;
  const what = command ? `starts ${command.map(word).join(' ')}` : `connects to ${url ?? 'nothing'}`;
  return [
    `  ${name} ${what}`,
    ...(cwd === undefined ? [] : [`    in ${cwd}`]),
    ...(environment.length > 0 ? [`    with the environment ${environment.map(word).join(' ')}`] : []),
    ...(headers.length > 0 ? [`    with the headers ${headers.join(', ')}`] : []),
    ...(reads.length > 0 ? [`    is told the value of your variables ${reads.join(', ')}`] : []),
    ...(replaces ? [`    takes the place of your own server ${name}`] : []),
    ...(problem === undefined ? [] : [`    cannot be used: ${problem}`]),
  ];
}

function settingLine({ key, value, isCut }: RequestedSetting): string {
  const note = isCut ? ' (would allow more than your own configuration, which counts)' : '';
  return `  sets ${key} to ${JSON.stringify(value)}${note}`;
}

/** A word, quoted as in a shell if it needs quotes. */
function word(text: string): string {
  return /^[\w@%+=:,./${}-]+$/u.test(text) ? text : JSON.stringify(text);
}
