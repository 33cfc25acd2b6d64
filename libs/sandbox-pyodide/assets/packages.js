/** The operator's packages: a folder of wheels, and a lock file as Pyodide has them. */

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
  const failures = [];
  const options = { messageCallback: () => {}, errorCallback: (message) => failures.push(message) };
  await python.loadPackagesFromImports(code, options);
  for (const failure of failures) console.error(failure);
}
