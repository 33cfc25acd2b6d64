/**
 * The walls of the product. Each is `{ name, edits, attacks, redundant }`: the edits that remove it, the attacks of
 * which at least one must then get through, and, if none can, the reason: another wall that holds.
 */
import { grants } from './walls/grants.mjs';
import { http } from './walls/http.mjs';
import { limits } from './walls/limits.mjs';
import { mcpOverHttp } from './walls/mcp-over-http.mjs';
import { operatingSystem } from './walls/operating-system.mjs';
import { operator } from './walls/operator.mjs';
import { python } from './walls/python.mjs';
import { questions } from './walls/questions.mjs';
import { runtime } from './walls/runtime.mjs';
import { server } from './walls/server.mjs';
import { start } from './walls/start.mjs';
import { systemCalls } from './walls/system-calls.mjs';
import { tools } from './walls/tools.mjs';

export const walls = Object.entries({
  ...runtime,
  ...operatingSystem,
  ...systemCalls,
  ...grants,
  ...limits,
  ...server,
  ...tools,
  ...questions,
  ...operator,
  ...http,
  ...mcpOverHttp,
  ...start,
  ...python,
}).map(([name, wall]) => ({ name, ...wall }));
