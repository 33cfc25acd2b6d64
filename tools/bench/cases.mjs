import { ask } from './cases/ask.mjs';
import { audit } from './cases/audit.mjs';
import { burst, sustained } from './cases/burst.mjs';
import { call, ten, thousand } from './cases/calls.mjs';
import { contact, discovery, reach, wrappers } from './cases/discovery.mjs';
import { filter } from './cases/filter.mjs';
import { pythonCall, pythonCold, pythonLoop, pythonMany, pythonWarm } from './cases/python.mjs';
import { callers, http, streams } from './cases/http.mjs';
import { search, searchTime } from './cases/search.mjs';
import { dense, health, load, start } from './cases/server.mjs';
import { steady } from './cases/steady.mjs';
import { tokens } from './cases/tokens.mjs';
import { openCircuit, overhead } from './cases/upstream.mjs';
import { cold, warm } from './cases/warm-cold.mjs';

/** All cases, in the order of the table. */
export const cases = [
  ...[warm, cold, burst, sustained, call, ten, thousand],
  ...[pythonWarm, pythonCold, pythonLoop, pythonCall, pythonMany, steady],
  ...[start, load, health, dense, tokens],
  ...[http, callers, streams],
  ...[overhead, ask, openCircuit, audit, filter],
  ...[search, searchTime, discovery, contact, reach, wrappers],
];
