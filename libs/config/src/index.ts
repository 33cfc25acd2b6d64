export { configFiles } from './config-files.js';
export { configKeys } from './config-keys.js';
export { editConfig } from './edit-config.js';
export { enabledLanguages } from './enabled-languages.js';
export { baseEnvironment } from './environment.js';
export { describeRequest } from './describe-request.js';
export { findServers, type FoundServers, type OperatorFiles } from './find-servers.js';
export { type HealthCheckAddress, readHealthCheck } from './health-check.js';
export { type LanguageName, languageNames, languageTools } from './language-names.js';
export { loadConfig, type LoadedConfig } from './load-config.js';
export type { ProjectFile } from './project-file.js';
export {
  distrustFolder,
  type ProjectRequest,
  readProject,
  trustedFiles,
  trustFiles,
} from './project-request.js';
export type { Config } from './schema.js';
export { clientIdPattern, clientIdRule } from './schema/http.js';
export { readTelemetry } from './telemetry.js';
export { withheldPaths } from './withheld-paths.js';
