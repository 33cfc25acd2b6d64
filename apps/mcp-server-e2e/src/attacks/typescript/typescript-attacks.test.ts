import { defineProgramAttackTests } from '../define-attack-tests.js';
import { typescriptAttacks } from './typescript-attacks.js';

defineProgramAttackTests(typescriptAttacks);
