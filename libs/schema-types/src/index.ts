export type { ToolLanguage } from './tool-language.js';
export { schemaToTypeScript } from './typescript-type.js';
export { type PythonType, schemaToPython } from './python-type.js';
export { toolOutline, toolSignature } from './tool-signature.js';
export { toolTypes } from './tool-types.js';
export {
  typeScriptTools,
  type TypeScriptIndents,
  type TypeScriptServer,
  type TypeScriptTool,
} from './typescript-tool.js';
export { type PythonParameter, type PythonServer, type PythonTool, pythonTools } from './python-tool.js';
export type { NamedServer, NamedTool } from './name-tools.js';
export { quoted } from './third-party-text.js';
