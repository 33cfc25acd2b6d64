export { lockFileName } from './package-folder.js';
export { pyodideFolder } from './pyodide-folder.js';
export { PyodideSandbox, type PyodideSandboxOptions } from './pyodide-sandbox.js';
