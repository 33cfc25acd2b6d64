/**
 * Checks the documents: every code block parses, every link and path inside the repository exists, and the first
 * TypeScript block of each library's README and all Python blocks run. `node tools/check-docs.mjs` runs only this.
 */
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

import { problemOf } from './checks/code-blocks.mjs';
import { checkExamples } from './checks/doc-examples.mjs';
import { parseMarkdown } from './checks/markdown.mjs';
import { checkPythonExamples } from './checks/python-examples.mjs';
import { ensureBuilt } from './ensure-built.mjs';
import { reportChecks } from './print.mjs';
import { listProjects } from './projects.mjs';
import { root } from './run.mjs';

/** One check per document, one per example, and one per document with Python in it. */
export async function checkDocs() {
  const documents = listDocuments();
  return [
    ...documents.map(checkDocument),
    ...(await checkExamples(documents)),
    ...(await checkPythonExamples(documents)),
  ];
}

/** Every document as `{ name, path, blocks, links, paths, anchors }`; `name` is its path in the repository. */
function listDocuments() {
  const inRoot = readdirSync(root).filter((file) => file.endsWith('.md'));
  const inDocs = readdirSync(join(root, 'docs'), { recursive: true })
    .filter((file) => file.endsWith('.md'))
    .map((file) => join('docs', file));
  const inPackages = listProjects().map((project) => join(project.folder, 'README.md'));
  return [...inRoot, ...inDocs.sort(), ...inPackages].map((name) => {
    const path = join(root, name);
    return { name, path, ...parseMarkdown(readFileSync(path, 'utf8')) };
  });
}

function checkDocument({ name, path, blocks, links, paths, anchors }) {
  const problems = [
    ...blocks.map((block) => ({ line: block.line, problem: problemOf(block) })),
    ...links.map((link) => ({ line: link.line, problem: problemOfLink(link.target, path, anchors) })),
    ...paths.map((named) => ({ line: named.line, problem: problemOfPath(named.path) })),
  ].filter(({ problem }) => problem !== undefined);
  return {
    name,
    passed: problems.length === 0 ? 1 : 0,
    failed: problems.length === 0 ? 0 : 1,
    note: `${blocks.length} blocks, ${links.length} links`,
    detail: problems.map(({ line, problem }) => `${name}:${line}: ${problem}`).join('\n'),
  };
}

function problemOfPath(path) {
  return existsSync(join(root, path)) ? undefined : `There is no ${path}.`;
}

/** What is wrong with a link, or undefined. Links to other sites are not checked. */
function problemOfLink(target, from, ownAnchors) {
  if (/^[a-z][a-z0-9+.-]*:/i.test(target)) return undefined;
  const [path, anchor] = target.split('#');
  const file = path === '' ? from : resolve(dirname(from), decodeURIComponent(path));
  const found = statSync(file, { throwIfNoEntry: false });
  if (!found) return `${target} does not exist.`;
  if (relative(root, file).startsWith('..')) return `${target} leads out of the repository.`;
  if (anchor === undefined) return undefined;
  const anchors = path === '' ? ownAnchors : parseMarkdown(readFileSync(file, 'utf8')).anchors;
  return anchors.has(anchor) ? undefined : `${target}: that document has no such heading.`;
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) {
  await ensureBuilt();
  const { passed, failed } = reportChecks(await checkDocs());
  process.stdout.write(`${passed} passed, ${failed} failed\n`);
  process.exitCode = failed === 0 ? 0 : 1;
}
