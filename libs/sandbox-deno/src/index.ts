export { DenoSandbox, type DenoSandboxOptions } from './deno-sandbox.js';
