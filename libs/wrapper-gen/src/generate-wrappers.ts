import type { ToolSchema } from '@code-executor/contracts';
import {
  type PythonServer,
  pythonTools,
  quoted,
  type ToolLanguage,
  type TypeScriptServer,
  typeScriptTools,
} from '@code-executor/schema-types';

import { fileStems } from './file-stems.js';
import { indexFile } from './index-file.js';
import { fillTemplate } from './templates.js';
import { hashOf, type WrapperFile, type WrapperModule } from './wrapper-file.js';

/**
 * The modules through which a program of its own calls the tools: one for each server, one that exports them
 * all, and one that calls. The same tools give the same files. Opens nothing, and never throws, whatever names,
 * descriptions and schemas are.
 */
export function generateWrappers(tools: readonly ToolSchema[], language: ToolLanguage): WrapperFile[] {
  return language === 'typescript' ? typeScriptFiles(tools) : pythonFiles(tools);
}

function typeScriptFiles(tools: readonly ToolSchema[]): WrapperFile[] {
  const servers = typeScriptTools(tools, { declarations: '', doc: '  ' });
  const stems = fileStems(
    servers.map(({ server }) => server),
    '-',
    new Set(),
  );
  const modules = servers.map((server) => {
    const path = `typescript/${stems.get(server.server) ?? server.server}.ts`;
    return moduleFile(path, server, fillTemplate('typescript-server', typeScriptView(server)));
  });
  return [
    file('typescript/client.ts', fillTemplate('typescript-client', {})),
    indexFile('typescript', modules),
    ...modules,
  ];
}

function typeScriptView({ server, identifier, tools }: TypeScriptServer): object {
  return {
    server: commentOf(server),
    identifier,
    declarations: tools.flatMap((tool) => tool.declarations),
    tools: tools.map((tool) => ({
      ...tool,
      name: quoted(tool.name, 'typescript'),
      isTyped: tool.resultType !== 'unknown',
    })),
  };
}

function pythonFiles(tools: readonly ToolSchema[]): WrapperFile[] {
  const servers = pythonTools(tools);
  // A module is an attribute of its package too, where it must not be taken for a server of that name.
  const stems = fileStems(
    servers.map(({ server }) => server),
    '_',
    new Set(servers.map(({ identifier }) => identifier)),
  );
  const modules = servers.map((server) => {
    const path = `python/${stems.get(server.server) ?? server.server}.py`;
    return moduleFile(path, server, fillTemplate('python-server', pythonView(server)));
  });
  return [
    file('python/_client.py', fillTemplate('python-client', {})),
    indexFile('python', modules),
    ...modules,
  ];
}

function pythonView({ server, tools, typing }: PythonServer): object {
  return {
    server: commentOf(server),
    typing: typing.join(', '),
    hasOptional: tools.some(({ parameters }) => parameters.some(({ isRequired }) => !isRequired)),
    names: listOf(tools.map(({ identifier }) => identifier)),
    tools: tools.map((tool) => {
      const { parameters, rest } = tool;
      const lines = parameters.map(
        ({ name, type, isRequired }) => `${name}: ${type}${isRequired ? '' : ' = _OMITTED'}`,
      );
      if (lines.length > 0) lines.unshift('*');
      if (rest) lines.push(`**${rest.name}: ${rest.type}`);
      const entries = parameters.map(({ key, name }) => `${key}: ${name}`);
      if (rest) entries.push(`**${rest.name}`);
      return { ...tool, name: quoted(tool.name, 'python'), lines, params: `{${entries.join(', ')}}` };
    }),
  };
}

/** The server's name where it can end no comment and no docstring. */
function commentOf(server: string): string {
  return quoted(server.slice(0, 80), 'python').replaceAll('*/', '*\\/').replaceAll('\\', '\\\\');
}

function listOf(names: readonly string[]): string {
  return names.map((name) => quoted(name, 'python')).join(', ');
}

function file(path: string, content: string): WrapperFile {
  return { path, content, hash: hashOf(content) };
}

function moduleFile(path: string, { server, identifier }: WrapperModule, content: string) {
  return { ...file(path, content), module: { server, identifier } };
}
