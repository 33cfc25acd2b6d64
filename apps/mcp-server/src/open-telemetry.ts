import { readTelemetry } from '@code-executor/config';
import type { Logger } from '@code-executor/contracts';

import type { Telemetry } from './telemetry.js';

/** Exports traces if the environment asks for it; the exporter has to be there before the first span. */
export async function openTelemetry(version: string, logger: Logger): Promise<Telemetry | undefined> {
  const { isWanted, warnings } = readTelemetry();
  for (const warning of warnings) logger.warn({}, warning);
  return isWanted ? (await import('./telemetry.js')).startTelemetry(version, logger) : undefined;
}
