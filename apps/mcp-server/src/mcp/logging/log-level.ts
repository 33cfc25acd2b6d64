/** The levels of MCP, from the least to the most severe. */
const levels = ['debug', 'info', 'notice', 'warning', 'error', 'critical', 'alert', 'emergency'] as const;

export type LogLevel = (typeof levels)[number];

/** What a client set; undefined for anything that is no level. */
export function logLevelFrom(value: unknown): LogLevel | undefined {
  return levels.find((level) => level === value);
}

/** Whether a client that set `wanted` wants messages of this level. */
export function isWanted(level: LogLevel, wanted: LogLevel): boolean {
  return levels.indexOf(level) >= levels.indexOf(wanted);
}
