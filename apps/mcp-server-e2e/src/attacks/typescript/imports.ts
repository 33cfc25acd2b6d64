import assert from 'node:assert/strict';

import type { ProgramAttack } from '../arena/program-attack.js';
import { attemptProgram, eachRefused, fails, outcomesOf } from './attempts.js';

const base64 = (text: string) => Buffer.from(text).toString('base64');
const dataUrl = (code: string) => `data:text/javascript;base64,${base64(code)}`;
const readsText = (file: string) => `import t from "file://${file}" with { type: "text" }; export default t;`;
/** How Deno refuses what is disabled completely. */
const switchedOff = /--no-npm is specified|Requires import access/;

/** The errors of Deno and the bootstrap; that they contain nothing of a file is checked after the attack. */
const notImported = /Requires read access|cannot be imported/;

/** Attacks that import code and files. */
export const imports: readonly ProgramAttack[] = [
  {
    id: 'TS-01',
    what: 'import a host file as text at the top of a program',
    stoppedBy: 'programs are never the entry module; Deno; OS',
    attack: fails(({ secrets }) => readsText(`${secrets}/secret.txt`), notImported),
  },
  {
    id: 'TS-02',
    what: 'import a file at the top as JSON, as code, as bytes, and by re-export',
    stoppedBy: 'programs are never the entry module; Deno; OS',
    async attack({ run, places: { secrets } }) {
      for (const program of [
        `import t from "file://${secrets}/secret.json" with { type: "json" }; export default t;`,
        `import t from "file://${secrets}/secret.js"; export default t;`,
        `export * from "file://${secrets}/secret.js";`,
        `export { default } from "file://${secrets}/secret.js";`,
        `import t from "file://${secrets}/data" with { type: "bytes" }; export default t;`,
      ]) {
        assert.match((await run(program)).error ?? '', notImported);
      }
    },
  },
  {
    id: 'TS-03',
    what: 'import a file dynamically, by a literal and by computed addresses',
    stoppedBy: 'Deno; OS',
    attack: eachRefused(({ secrets }) => [
      `import("file://${secrets}/secret.txt", { with: { type: "text" } })`,
      `import("file://${secrets}/secret.json", { with: { type: "json" } })`,
      `import("file://${secrets}/secret.js")`,
      `import("fi" + "le://${secrets}/secret.js")`,
      `import(new URL("file://${secrets}/secret.js").href)`,
      `import("file:///etc/passwd", { with: { type: "text" } })`,
      `import("file:///proc/self/environ", { with: { type: "text" } })`,
    ]),
  },
  {
    id: 'TS-04',
    what: 'spell the address of a file differently, and import it deferred, as source or as WebAssembly',
    stoppedBy: 'Deno; OS',
    attack: eachRefused(
      ({ secrets }) => [
        `import("file://localhost${secrets}/secret.js")`,
        `import("file://${secrets.replaceAll('s', '%73')}/%73ecret.js")`,
        `import("FILE:${secrets}/./secret.js?x#y")`,
        `import("file:////proc/self/root${secrets}/secret.js")`,
        `import("${secrets}/secret.js")`,
        `import("./../secrets/secret.js")`,
        `import("file://${secrets}/secret.wasm")`,
        `(0, eval)('import.source("file://${secrets}/secret.wasm")')`,
        `new Function('return import.defer("file://${secrets}/secret.js")')()`,
        `new Function('return import("file://${secrets}/secret.js")')()`,
      ],
      /Requires read access|relative URL|not a dependency/,
    ),
  },
  {
    id: 'TS-05',
    what: 'import a data: module that imports a file, also two levels deep and as a TypeScript program',
    stoppedBy: 'Deno; OS',
    attack: eachRefused(
      ({ secrets }) => [
        `import("${dataUrl(readsText(`${secrets}/secret.txt`))}")`,
        `import("${dataUrl(`export { default } from "${dataUrl(readsText(`${secrets}/secret.txt`))}"`)}")`,
        `import("data:application/typescript;base64,${base64(readsText(`${secrets}/secret.txt`))}")`,
      ],
      /Requires read access/,
    ),
  },
  {
    id: 'TS-06',
    what: 'import a blob: module that imports a file',
    stoppedBy: 'Deno; OS',
    attack: eachRefused(({ secrets }) =>
      ['text/javascript', 'application/typescript', 'text/jsx', 'text/tsx'].map(
        (type) =>
          `import(URL.createObjectURL(new Blob([${JSON.stringify(readsText(`${secrets}/secret.txt`))}], { type: "${type}" })))`,
      ),
    ),
  },
  {
    id: 'TS-07',
    what: 'name files and servers in comments: reference, deno-types, jsxImportSource, source maps',
    stoppedBy: 'Deno reads none of them',
    async attack({ run, places: { secrets, port } }) {
      const lines = [
        `/// <reference path="${secrets}/secret.js" />`,
        `/// <reference types="http://127.0.0.1:${port}/types.d.ts" />`,
        `/** @jsxImportSource http://127.0.0.1:${port} */`,
        `// @deno-types="http://127.0.0.1:${port}/types.d.ts"`,
        `import "data:text/javascript,1";`,
        `export default 1;`,
        `//# sourceMappingURL=http://127.0.0.1:${port}/map`,
        `//# sourceURL=file://${secrets}/secret.js`,
      ];
      assert.equal((await run(lines.join('\n'))).result, 1);
      const failed = await run(`${lines.join('\n')}\nthrow new Error("where");`);
      assert.equal(failed.errorCode, 'user_error');
    },
  },
  {
    id: 'TS-08',
    what: 'import from the network: https, npm, jsr, a server on this machine, a bare name',
    stoppedBy: 'Deno (--no-npm, --no-remote, --deny-import, --cached-only); OS',
    attack: eachRefused(
      ({ port }) => [
        'import("npm:left-pad")',
        'import("npm:/left-pad@1.3.0")',
        'import("jsr:@std/path")',
        'import("https://deno.land/std/path/mod.ts")',
        'import("https://esm.sh/left-pad")',
        'import("https://raw.githubusercontent.com/a/b/c.js")',
        `import("http://127.0.0.1:${port}/x.js")`,
        `import("http://localhost:${port}/x.json", { with: { type: "json" } })`,
      ],
      switchedOff,
    ),
  },
  {
    id: 'TS-09',
    what: 'load files through node:module: require, Module._load, _extensions, runMain, getBuiltinModule',
    stoppedBy: 'Deno; OS',
    attack: eachRefused(({ secrets }) => [
      `(await node("module")).createRequire("/")("${secrets}/secret.json")`,
      `(await node("module")).createRequire("file://${secrets}/x.js")("./secret.cjs")`,
      `(await node("module")).createRequire("file://${secrets}/x.js").resolve("./secret.cjs")`,
      `(await node("module")).default._load("${secrets}/secret.cjs")`,
      `(await node("module")).default._preloadModules(["${secrets}/secret.cjs"])`,
      `(await node("module")).default._findPath("secret", ["${secrets}"])`,
      `(() => { const m = process.getBuiltinModule("module"); const x = { exports: {} }; m._extensions[".js"](x, "${secrets}/secret.cjs"); return x.exports })()`,
      `(() => { const m = process.getBuiltinModule("module"); const x = { exports: {} }; m._extensions[".json"](x, "${secrets}/secret.json"); return x.exports })()`,
      `(() => { const m = process.getBuiltinModule("module"); m._extensions[".node"]({ exports: {} }, "/lib/libc.so.6") })()`,
      `process.getBuiltinModule("fs").readFileSync("${secrets}/secret.txt", "utf8")`,
      `(await node("module")).findPackageJSON("file://${secrets}/x.js")`,
    ]),
  },
  {
    id: 'TS-10',
    what: 'change how modules are loaded: register, registerHooks, the compile cache, source maps',
    stoppedBy: 'Deno; OS',
    async attack({ run, places: { secrets } }) {
      const hooks = `const m = process.getBuiltinModule("module");
        m.registerHooks({ resolve: () => ({ url: "file://${secrets}/secret.txt", shortCircuit: true, format: "text" }) });
        return (await import("anything")).default;`;
      assert.match((await run(hooks)).error ?? '', notImported);
      const outcomes = outcomesOf(
        await run(
          attemptProgram([
            `process.getBuiltinModule("module").enableCompileCache?.("${secrets}")`,
            `process.getBuiltinModule("module").findSourceMap?.("${secrets}/secret.js")`,
            `(await node("module")).register("file://${secrets}/secret.js")`,
            `process.getBuiltinModule("module").flushCompileCache?.()`,
          ]),
        ),
      );
      // They have no effect; what they would read or write is checked after the attack.
      assert.deepEqual(
        outcomes.filter(({ got, refusal }) => got !== 'undefined' && !/Requires read/.test(refusal ?? '')),
        [],
      );
    },
  },
  {
    id: 'TS-12',
    what: 'reach the internals of the runtime: ext: and node:internal modules, bindings, Deno.internal',
    stoppedBy: 'Deno; the bootstrap removes Deno.internal; OS',
    async attack({ run }) {
      const outcomes = outcomesOf(
        await run(
          attemptProgram([
            'import("ext:core/mod.js")',
            'import("ext:core/ops")',
            'import("ext:runtime/98_global_scope_shared.js")',
            'import("node:internal/fs/utils")',
            'import("node:internal/test/binding")',
            'process._linkedBinding("fs")',
            'Deno[Deno.internal].core.ops',
            'Object.getOwnPropertySymbols(Deno).map((key) => Deno[key].core.ops)[0].length',
            '__bootstrap.core',
            'Deno.core.ops',
          ]),
        ),
      );
      assert.deepEqual(
        outcomes.filter(({ refusal }) => refusal === undefined),
        [],
      );
      // Node's internal bindings exist, but the dangerous ones are empty.
      const bindings = await run(`
        const { internalBinding } = process.getBuiltinModule("module").createRequire("file:///x")("internal/test/binding");
        const names = ["fs", "spawn_sync", "process_methods", "worker", "contextify", "natives", "fs_dir", "os", "v8"];
        return names.flatMap((name) => Object.keys(internalBinding(name)).map((key) => name + "." + key));`);
      assert.deepEqual(bindings.result, []);
    },
  },
  {
    id: 'TS-14',
    what: 'escape from a realm: node:vm contexts, constructor chains, prepareStackTrace, ShadowRealm',
    stoppedBy: 'the process contains no realm of the server; Deno; OS',
    attack: eachRefused(({ secrets }) => {
      const read = `Deno.readTextFileSync("${secrets}/secret.txt")`;
      const require = `process.getBuiltinModule("fs").readFileSync("${secrets}/secret.txt", "utf8")`;
      return [
        `(await node("vm")).runInNewContext('this.constructor.constructor("return Deno")()').readTextFileSync("${secrets}/secret.txt")`,
        `(await node("vm")).runInNewContext('import("file://${secrets}/secret.js")', {}, { importModuleDynamically: (await node("vm")).constants.USE_MAIN_CONTEXT_DEFAULT_LOADER })`,
        `(await node("vm")).runInThisContext('${require}')`,
        `(await node("vm")).compileFunction('return ${require}')()`,
        `callMCPTool.constructor.constructor('return ${read}')()`,
        `(() => { Error.prepareStackTrace = (_, sites) => sites.map((site) => site.getThis()).concat(globalThis); const [realm] = new Error().stack.reverse(); Error.prepareStackTrace = undefined; return realm.${read} })()`,
        `(() => { try { null.x } catch (error) { return error.constructor.constructor('return ${read}')() } })()`,
        `(() => { try { (function again() { again() })() } catch (error) { return error.constructor.constructor('return ${require}')() } })()`,
        `(async () => { try { await callMCPTool("mcp__no__such") } catch (error) { return error.constructor.constructor('return ${read}')() } })()`,
        `Reflect.construct(Function, ['return ${read}'], class {})()`,
        `(async () => {}).constructor('return ${read}')()`,
      ];
    }, /Requires read access|ShadowRealm/),
  },
];
