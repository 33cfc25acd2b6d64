import { pythonForm } from '@code-executor/schema-types';

import type { ExecutionLanguage } from './execution-language.js';

export const python: ExecutionLanguage = {
  name: 'python',
  title: 'Python',
  form: pythonForm,
  // Its processes take much more memory.
  maxConcurrent: 4,
  takesFiles: false,
  howToGiveValue:
    'There is no value, and nothing was printed; make the value the last line, as an expression.',
  auditPatterns: {
    eval: /\beval\s{0,9}\(/,
    exec: /\bexec\s{0,9}\(/,
    compile: /\bcompile\s{0,9}\(/,
    __import__: /\b__import__\b/,
    importlib: /\bimportlib\b/,
    'os.system': /\bos\s{0,9}\.\s{0,9}(?:system|popen|exec[lv]p?e?|spawn[lv]p?e?|fork)\b/,
    'os.environ': /\bos\s{0,9}\.\s{0,9}(?:environ|getenv)\b/,
    subprocess: /\bsubprocess\b/,
    socket: /\bsocket\b/,
    ctypes: /\bctypes\b/,
    pickle: /\bpickle\b/,
    js: /\b(?:import|from)\s{1,9}(?:js|pyodide_js)\b/,
  },
};
