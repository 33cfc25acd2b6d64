/** Finds modules and packages that import themselves through others. Imports of types count too. */
import { readdirSync, readFileSync } from 'node:fs';
import { join, posix, relative, sep } from 'node:path';

import ts from 'typescript';

/** One check over `apps` and `libs` of a repository; its detail has a line for each cycle. */
export function checkImportCycles(root) {
  const modules = readModules(root);
  const cycles = [...cyclesIn(moduleGraph(modules)), ...cyclesIn(packageGraph(modules))];
  return {
    name: 'import cycles',
    passed: cycles.length === 0 ? 1 : 0,
    failed: cycles.length,
    note: `${modules.length} files`,
    detail: cycles.map((cycle) => cycle.join(' → ')).join('\n'),
  };
}

/** Every source file as `{ name, imports }`: its path from the root, and its import specifiers. */
function readModules(root) {
  return ['apps', 'libs']
    .flatMap((parent) => filesBelow(join(root, parent)))
    .map((path) => ({
      name: relative(root, path).split(sep).join('/'),
      // Much faster than parsing, and it also sees `import type`, `export from` and `import()`.
      imports: ts.preProcessFile(readFileSync(path, 'utf8')).importedFiles.map((file) => file.fileName),
    }));
}

function filesBelow(folder) {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory())
      return ['node_modules', 'dist', 'coverage'].includes(entry.name) ? [] : filesBelow(path);
    return /\.(ts|js|mjs)$/.test(entry.name) ? [path] : [];
  });
}

function moduleGraph(modules) {
  const names = new Set(modules.map(({ name }) => name));
  /** The source file of a relative import, which names the compiled file. */
  const fileOf = (from, specifier) => {
    const path = posix.join(posix.dirname(from), specifier);
    return [path, path.replace(/\.js$/, '.ts')].find((candidate) => names.has(candidate));
  };
  return new Map(
    modules.map(({ name, imports }) => {
      const relatives = imports.filter((specifier) => specifier.startsWith('.'));
      return [name, relatives.map((specifier) => fileOf(name, specifier)).filter(Boolean)];
    }),
  );
}

function packageGraph(modules) {
  const graph = new Map();
  for (const { name, imports } of modules) {
    const [, project] = name.split('/');
    const packages = imports.map((specifier) => /^@code-executor\/([^/]+)/.exec(specifier)?.[1]);
    // A test may import its own package, as a user does.
    const others = packages.filter((other) => other !== undefined && other !== project);
    graph.set(project, [...(graph.get(project) ?? []), ...others]);
  }
  return graph;
}

/** The shortest cycle through each module that is in one; every cycle once. */
function cyclesIn(graph) {
  const cycles = new Map();
  for (const start of graph.keys()) {
    const cycle = shortestCycle(graph, start);
    if (!cycle) continue;
    const first = cycle.indexOf([...cycle].sort()[0]);
    const turned = [...cycle.slice(first), ...cycle.slice(0, first)];
    cycles.set(turned.join(), [...turned, turned[0]]);
  }
  return [...cycles.values()];
}

function shortestCycle(graph, start) {
  const paths = [[start]];
  const seen = new Set();
  for (const path of paths) {
    for (const next of graph.get(path.at(-1)) ?? []) {
      if (next === start) return path;
      if (seen.has(next)) continue;
      seen.add(next);
      paths.push([...path, next]);
    }
  }
  return undefined;
}
