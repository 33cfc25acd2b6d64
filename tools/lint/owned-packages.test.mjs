import { describe, it } from 'node:test';

import { RuleTester } from 'eslint';
import tseslint from 'typescript-eslint';

import { ownedPackages } from './owned-packages.mjs';

RuleTester.describe = describe;
RuleTester.it = it;
const tester = new RuleTester({ languageOptions: { parser: tseslint.parser } });
const options = [{ zod: ['config'], '@keyv/redis': ['schema-cache'] }];
const inProxy = (code) => ({ code, options, filename: '/repo/libs/proxy/src/a.ts' });
const refused = (code) => ({ ...inProxy(code), errors: [{ messageId: 'notOwner' }] });

tester.run('owned-packages', ownedPackages, {
  valid: [
    ...[
      "import { readFile } from 'node:fs/promises';",
      "import { EventEmitter } from 'events';",
      "import type { Tool } from '@code-executor/contracts';",
      "import { zod } from './zod.js';",
      "import.meta.resolve('../assets/zod.js');",
      "resolve('zod');",
      "path.resolve('zod');",
      'await import(name);',
    ].map(inProxy),
    { code: "import { z } from 'zod';", options, filename: '/repo/libs/config/src/a.ts' },
    { code: "import '@keyv/redis/lib';", options, filename: '/repo/libs/schema-cache/src/a.ts' },
    { code: "import { z } from 'zod';", options, filename: '/repo/tools/a.mjs' },
  ],
  invalid: [
    ...[
      "import { z } from 'zod';",
      "import type { ZodType } from 'zod';",
      "import { z } from 'zod/mini';",
      "import '@keyv/redis';",
      "export { z } from 'zod';",
      "export * from 'zod';",
      "await import('zod');",
      'await import(`zod`);',
      "let schema: import('zod').ZodType;",
      "require('zod');",
      "require.resolve('zod');",
      "import.meta.resolve('zod');",
    ].map(refused),
    { ...inProxy("import ky from 'ky';"), errors: [{ messageId: 'unknown' }] },
  ],
});
