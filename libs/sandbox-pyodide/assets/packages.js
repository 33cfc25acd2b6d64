/** Loads the operator's packages from a folder of wheels with a lock file in Pyodide's format. */

/* global PYODIDE_PACKAGES -- packages by module, if the names differ; inserted by bundle.mjs */

const noPackages = {};

/**
 * Options for `loadPyodide`: the available packages and their folder.
 *
 * @param info - The version of Pyodide. Packages that were added for another version are ignored.
 */
export function packageOptions(folder, info) {
  const lock = folder ? JSON.parse(Deno.readTextFileSync(`${folder}/pyodide-lock.json`)) : undefined;
  const isOurs = lock?.info?.abi_version === info.abi_version;
  return {
    lockFileContents: { info, packages: isOurs ? lock.packages : noPackages },
    ...(folder && { packageBaseUrl: `${folder}/` }),
  };
}

/**
 * Loads the packages that the program imports and their dependencies, without running them. Prints to stderr what
 * could not be loaded, and lets the program run, because it may work without.
 */
export async function loadPackages(python, code, folder) {
  const { packages } = python.lockfile;
  if (Object.keys(packages).length === 0) return;
  try {
    const wanted = importedPackages(python, code, packages);
    for (const name of withDependencies(wanted, packages)) await checkHash(packages[name], folder);
    const failures = [];
    const options = { messageCallback: () => {}, errorCallback: (message) => failures.push(message) };
    await python.loadPackage(wanted, options);
    for (const failure of failures) console.error(failure);
  } catch (error) {
    console.error(`Packages were not loaded: ${error.message}`);
  }
}

/** The packages that a program imports: all of them if several share a name, such as `google`. */
function importedPackages(python, code, packages) {
  const found = python.pyimport('pyodide.code').find_imports(code);
  const modules = new Set(found.toJs().map((module) => module.split('.')[0]));
  found.destroy();
  return Object.keys(packages).filter((name) => packages[name].imports.some((module) => modules.has(module)));
}

function withDependencies(names, packages) {
  const all = new Set(names);
  // Iterating a set includes the items that are added during the iteration.
  for (const name of all) for (const needed of packages[name]?.depends ?? []) all.add(needed);
  return all;
}

/** Checks the hash of a package, because Pyodide does so only in browsers. */
async function checkHash({ name, file_name: file, sha256 } = {}, folder) {
  if (file === undefined) return;
  const digest = await crypto.subtle.digest('SHA-256', await Deno.readFile(`${folder}/${file}`));
  if (new Uint8Array(digest).toHex() !== sha256) {
    throw new Error(`${name} is not the file that was added; add it again: code-executor python add ${name}`);
  }
}

/** Modules that need sockets, which Python does not have here. */
const needNetwork = new Set(['aiohttp', 'httpx', 'requests', 'urllib3', 'websockets']);

/** Advice for a program that imports a missing module. */
export function adviceOn(module, python) {
  if (module === 'micropip') {
    return 'Programs install nothing. Packages are added on the machine of the server, and are there for import then: code-executor python add NAME';
  }
  if (needNetwork.has(module)) {
    return `Python has no sockets, so ${module} would not work: from pyodide.http import pyfetch; response = await pyfetch(url), with the host in permissions.net`;
  }
  const added = Object.values(python.lockfile.packages).some(({ imports }) => imports.includes(module));
  return added
    ? `Packages with a module ${module} are there; they are loaded for programs with a statement of their own: import ${module}`
    : `It can be added on the machine of the server: code-executor python add ${PYODIDE_PACKAGES[module] ?? module}`;
}
