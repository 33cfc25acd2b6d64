export { configFiles } from './config-files.js';
export { type ConfigKey, configKeys } from './config-keys.js';
export { type ConfigEdit, editConfig } from './edit-config.js';
export { enabledLanguages } from './enabled-languages.js';
export { baseEnvironment } from './environment.js';
export { describeRequest } from './describe-request.js';
export {
  findServers,
  type FindServersOptions,
  type FoundServers,
  type OperatorFiles,
} from './find-servers.js';
export { type HealthCheckAddress, readHealthCheck } from './health-check.js';
export { type LanguageName, languageNames } from './language-names.js';
export { loadConfig, type LoadConfigOptions, type LoadedConfig, type ConfigOrigin } from './load-config.js';
export type { ProjectFile, TrustOptions } from './project-file.js';
export {
  distrustFolder,
  type ProjectRequest,
  readProject,
  type RequestedServer,
  type RequestedSetting,
  trustedFiles,
  trustFiles,
} from './project-request.js';
export type { Config } from './schema.js';
export { clientIdPattern, clientIdRule } from './schema/http.js';
export type {
  HttpServerConfig,
  ServerEntry,
  StdioServerConfig,
  UpstreamServerConfig,
} from './server-entry.js';
export { readTelemetry, type TelemetrySettings } from './telemetry.js';
export { withheldPaths } from './withheld-paths.js';
