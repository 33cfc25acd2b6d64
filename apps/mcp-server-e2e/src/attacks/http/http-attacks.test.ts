import { HttpArena } from '../arena/http-arena.js';
import { defineAttackTests } from '../define-attack-tests.js';
import { httpAttacks } from './http-attacks.js';

defineAttackTests(httpAttacks, 'server', () => HttpArena.start());
