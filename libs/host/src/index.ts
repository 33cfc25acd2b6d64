export { type HostHealth, measureHealth } from './health.js';
export { createHost, type Host, type HostOptions } from './host.js';
export { refusingHost } from './refusing-host.js';
export type { HostSettings } from './settings.js';
