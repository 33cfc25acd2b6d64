import { HttpArena } from '../arena/http-arena.js';
import { makeAttacks } from '../make-attacks.js';
import { httpAttacks } from './http-attacks.js';

makeAttacks(httpAttacks, 'server', () => HttpArena.start());
