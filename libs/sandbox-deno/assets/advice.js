import { looksLike } from '@code-executor/deno-runtime/assets/looks-like.js';

// Saved before the program runs, because it can replace globals.
const { ReferenceError, TypeError } = globalThis;

/** Whether an import found no module, or was refused. Syntax errors have the same class and code in Deno. */
export function isImportFailure(error) {
  return (
    error instanceof TypeError &&
    error.code === 'ERR_MODULE_NOT_FOUND' &&
    !error.message.startsWith('SyntaxError: ')
  );
}

/** @param place The rest of the source line, from the import on. */
export function describeImportFailure(place = '') {
  const [, specifier] = /^(?:await\s+)?(?:import\(\s*)?["']([^"']*)["']/.exec(place) ?? [];
  const what = specifier === undefined ? 'This module' : `"${specifier}"`;
  return `${what} cannot be imported: programs import modules of Node, such as "node:crypto", and nothing from npm, the network or files.`;
}

const globalsOfOthers = [
  [
    /\brequire\s*\(/,
    'There is no require; import modules of Node: import { createHash } from "node:crypto".',
  ],
  [/\b(?:document|window)\b/, 'There is no page and no DOM; pictures are made as SVG, for display().'],
  [/\b(?:fs|path|os|util)\./, 'Modules of Node are imported: import fs from "node:fs".'],
  [
    /\b(?:mcp|(?:list|get|call|run|use|search)_?(?:mcp_?)?tools?)\b/i,
    'Tools are called with await tools.server.tool(args), and found with await searchTools("words").',
  ],
];

/** An assignment of what a tool call returns, without `await`. */
const keptPromise =
  /=\s*(?:callMCPTool|searchTools|discoverMCPTools|getToolSchema|getToolTypes|tools(?:\s*\.\s*\w+|\s*\[[^\]]*\]){2})\s*\(/;

const joinsPromises = /\bPromise\s*\.\s*(?:all|allSettled|race|any)\b/;

/** Advice for a program that expects globals of another environment, or forgot an `await`. */
export function adviceOn(error, source) {
  if (error instanceof ReferenceError) {
    // V8 names the missing global only in the message, so the source of the program is searched instead.
    const [, advice] = globalsOfOthers.find(([pattern]) => pattern.test(source)) ?? [];
    return looksLike(source, 'typescript') ?? advice;
  }
  return error instanceof TypeError && keptPromise.test(source) && !joinsPromises.test(source)
    ? 'A call of a tool gives a promise: const result = await tools.server.tool(args).'
    : undefined;
}
