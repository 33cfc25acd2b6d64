export { type ConfigKey, configKeys } from './config-keys.js';
export { type ConfigEdit, editConfig } from './edit-config.js';
export { baseEnvironment } from './environment.js';
export {
  findServers,
  type FindServersOptions,
  type FoundServers,
  projectServerFile,
} from './find-servers.js';
export { type HealthCheckAddress, readHealthCheck } from './health-check.js';
export { loadConfig, type LoadConfigOptions, type LoadedConfig, type ConfigOrigin } from './load-config.js';
export { clientIdPattern, clientIdRule, type Config } from './schema.js';
export type {
  HttpServerConfig,
  ServerEntry,
  StdioServerConfig,
  UpstreamServerConfig,
} from './server-entry.js';
export { readTelemetry, type TelemetrySettings } from './telemetry.js';
export { withheldPaths } from './withheld-paths.js';
