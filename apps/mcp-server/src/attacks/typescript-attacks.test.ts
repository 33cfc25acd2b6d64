import { typescriptAttacks } from './catalogue.js';
import { makeAttacks } from './make-attacks.test.support.js';

makeAttacks(typescriptAttacks);
