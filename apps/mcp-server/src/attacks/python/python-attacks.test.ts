import { makeAttacks } from '../make-attacks.test.support.js';
import { pythonAttacks } from './python-attacks.js';

makeAttacks(pythonAttacks);
