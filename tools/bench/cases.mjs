import { burst, sustained } from './cases/burst.mjs';
import { call, ten, thousand } from './cases/calls.mjs';
import { health, load, start } from './cases/server.mjs';
import { tokens } from './cases/tokens.mjs';
import { cold, warm } from './cases/warm-cold.mjs';

/** Every case, in the order of the table. */
export const cases = [warm, cold, burst, sustained, call, ten, thousand, start, load, health, tokens];
