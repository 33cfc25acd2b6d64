export { lockFileName } from './package-files.js';
export { pyodideFolder } from './pyodide-folder.js';
export { PyodideSandbox, type PyodideSandboxOptions } from './pyodide-sandbox.js';
