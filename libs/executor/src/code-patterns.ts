import type { Language } from '@code-executor/contracts';

/**
 * What readers of the audit record want to be pointed at. It stops nothing: text can always be written in another
 * way, and the walls hold whatever a program says. No pattern backtracks: code is hostile, and 100,000 characters long.
 */
const patterns: Record<Language, Readonly<Record<string, RegExp>>> = {
  typescript: {
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
  python: {
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

/** The names of the patterns that occur in a program. */
export function codePatterns(code: string, language: Language): string[] {
  return Object.entries(patterns[language]).flatMap(([name, pattern]) => (pattern.test(code) ? [name] : []));
}
