/** The operator's packages: a folder of wheels, and a lock file as Pyodide has them. */

/* global PYODIDE_PACKAGES -- of modules whose package has another name, put in by bundle.mjs */

const noPackages = {};

/**
 * Options for `loadPyodide`: which packages there are, and where.
 *
 * @param info - What Pyodide says of itself; packages made for another one are as good as none.
 */
export function packageOptions(folder, info) {
  const lock = folder ? JSON.parse(Deno.readTextFileSync(`${folder}/pyodide-lock.json`)) : undefined;
  const isOurs = lock?.info?.abi_version === info.abi_version;
  return {
    lockFileContents: { info, packages: isOurs ? lock.packages : noPackages },
    ...(folder && { packageBaseUrl: `${folder}/` }),
  };
}

/** Loads what the program imports of them, and what those need; none of it runs yet. */
export async function loadPackages(python, code) {
  if (Object.keys(python.lockfile.packages).length === 0) return;
  const failures = [];
  const options = { messageCallback: () => {}, errorCallback: (message) => failures.push(message) };
  await python.loadPackagesFromImports(code, options);
  for (const failure of failures) console.error(failure);
}

/** What to do about a module that is not there. */
export function adviceOn(module, python) {
  const added = Object.values(python.lockfile.packages).some(({ imports }) => imports.includes(module));
  return added
    ? `${module} is there, and loaded for programs that import it by a statement of their own: import ${module}`
    : `It can be added on the machine of the server: code-executor python add ${PYODIDE_PACKAGES[module] ?? module}`;
}
