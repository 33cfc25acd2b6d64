import { makeProgramAttacks } from '../make-attacks.js';
import { pythonAttacks } from './python-attacks.js';

makeProgramAttacks(pythonAttacks);
