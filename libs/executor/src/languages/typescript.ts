import { typeScriptForm } from '@code-executor/schema-types';

import type { ExecutionLanguage } from './execution-language.js';

export const typescript: ExecutionLanguage = {
  name: 'typescript',
  title: 'TypeScript',
  form: typeScriptForm,
  maxConcurrent: Infinity,
  takesFiles: true,
  howToGiveValue: 'No value was returned and nothing printed; end the program with return <value>.',
  auditPatterns: {
    eval: /\beval\s{0,9}\(/,
    Function: /\bFunction\s{0,9}\(/,
    'constructor.constructor': /\bconstructor\s{0,9}\.\s{0,9}constructor\b/,
    'import(url)': /\bimport\s{0,9}\(\s{0,9}['"`](?:data|blob|https?):/,
    child_process: /\bchild_process\b/,
    'process.binding': /\bprocess\s{0,9}\.\s{0,9}(?:_linkedB|b)inding\b/,
    'process.env': /\bprocess\s{0,9}\.\s{0,9}env\b/,
    'Deno.env': /\bDeno\s{0,9}\.\s{0,9}env\b/,
    'Deno.Command': /\bDeno\s{0,9}\.\s{0,9}(?:Command|run)\b/,
    'Deno.dlopen': /\bDeno\s{0,9}\.\s{0,9}dlopen\b/,
    Worker: /\bnew\s{1,9}Worker\b/,
    WebAssembly: /\bWebAssembly\b/,
  },
};
