import { makeProgramAttacks } from '../make-attacks.js';
import { typescriptAttacks } from './typescript-attacks.js';

makeProgramAttacks(typescriptAttacks);
