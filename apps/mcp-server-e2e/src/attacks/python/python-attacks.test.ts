import { defineProgramAttackTests } from '../define-attack-tests.js';
import { pythonAttacks } from './python-attacks.js';

defineProgramAttackTests(pythonAttacks);
