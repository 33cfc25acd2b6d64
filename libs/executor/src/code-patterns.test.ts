import { describe, expect, test } from '@jest/globals';

import { codePatterns } from './code-patterns.js';
import { python } from './languages/python.js';
import { typescript } from './languages/typescript.js';

describe('codePatterns', () => {
  test.each([
    ['eval("1")', ['eval']],
    ['return new Function ("return 1")()', ['Function']],
    ['[].constructor .constructor("x")', ['constructor.constructor']],
    ['await import( `data:text/javascript,1`)', ['import(url)']],
    ['import { exec } from "node:child_process"; process.env.HOME', ['child_process', 'process.env']],
    ['process.binding("tcp_wrap"); process._linkedBinding("x")', ['process.binding']],
    ['new Deno.Command("sh"); Deno.dlopen("x"); Deno.env', ['Deno.env', 'Deno.Command', 'Deno.dlopen']],
    ['new Worker(url); WebAssembly.compile(b)', ['Worker', 'WebAssembly']],
    ['const evaluate = (medieval) => medieval; import("./a.ts"); await tools.files.read({})', []],
  ])('names the patterns in TypeScript: %s', (code, names) => {
    expect(codePatterns(code, typescript)).toEqual(names);
  });

  test.each([
    ['eval("1"); exec ("x"); compile("1", "", "eval")', ['eval', 'exec', 'compile']],
    ['__import__("os").system("id")', ['__import__']],
    ['import os, subprocess\nos.popen("id"); os.environ', ['os.system', 'os.environ', 'subprocess']],
    [
      'import importlib, socket, ctypes, pickle\nfrom js import fetch',
      ['importlib', 'socket', 'ctypes', 'pickle', 'js'],
    ],
    ['import json\nexecutor = 1\nprint(json.dumps({"a": executor}))', []],
  ])('names the patterns in Python: %s', (code, names) => {
    expect(codePatterns(code, python)).toEqual(names);
  });
});
