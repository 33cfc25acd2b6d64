/**
 * An import map by which `import 'fs'` is `import 'node:fs'`, as in Node. Modules that exist only with the prefix need
 * no entry; newer versions of Node have them in the list too, with their prefix.
 */
export function nodeImportMap(builtinModules: readonly string[]): { imports: Record<string, string> } {
  const names = builtinModules.filter((name) => !/^(_|node:)/.test(name));
  return { imports: Object.fromEntries(names.map((name) => [name, `node:${name}`])) };
}
