import assert from 'node:assert/strict';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import type { ProgramAttack } from '../arena/program-attack.js';
import { attemptProgram, eachRefused, outcomesOf } from './attempts.js';

const inModule = (statements: string) =>
  `(() => { const M = process.getBuiltinModule("module"); ${statements} })()`;

/** Attacks through the CommonJS loader, which reads more than it has permission for. */
export const requires: readonly ProgramAttack[] = [
  {
    id: 'TS-48',
    what: 'read package.json through require: its exports, its main, whether it exists, with a forged parent name',
    stoppedBy: 'the bootstrap (require does not look for files); OS',
    async attack({ run, places: { stage, canary } }) {
      const folder = join(stage, 'node_modules');
      for (const [name, fields] of [
        [
          'pkg',
          {
            exports: { '.': `./${canary}.js`, './a': `./${canary}.js` },
            imports: { '#a': `./${canary}.js` },
          },
        ],
        ['main', { main: `./${canary}.js` }],
      ] as const) {
        await mkdir(join(folder, name), { recursive: true });
        await writeFile(join(folder, name, 'package.json'), JSON.stringify({ name, ...fields }));
      }
      const tries = (modules: string) => {
        const parent = `{ filename: "${modules}/pkg/x.js", id: "x", paths: ["${modules}"] }`;
        return [
          `return M._resolveFilename("pkg/a", ${parent})`,
          `return M._resolveFilename("#a", ${parent})`,
          `return M._load("pkg/a", ${parent})`,
          `return M._findPath("pkg/a", ["${modules}"], false)`,
          `M._stat = (path) => path.endsWith(".js") ? 0 : 1; return M._findPath("main", ["${modules}"], false)`,
          `return M._stat("${modules}")`,
          `return M.createRequire("${modules}/pkg/x.js").resolve("pkg/a")`,
          `return M.createRequire("${modules}/pkg/x.js")("pkg")`,
          `return M.createRequire("/x.js").resolve("pkg/a", { paths: ["${modules}"] })`,
          `const m = new M("x", null); m.filename = "${modules}/pkg/x.js"; m.paths = ["${modules}"]; return m.require("pkg/a")`,
          `return M.findPackageJSON("pkg", "file://${modules}/pkg/x.js")`,
        ].map(inModule);
      };
      const outcomesIn = async (modules: string) =>
        outcomesOf(await run(attemptProgram(tries(modules)))).map(({ got, refusal }) =>
          JSON.stringify({ got, refusal }).replaceAll(modules, '…'),
        );
      // A program learns the same about packages that do not exist.
      assert.deepEqual(await outcomesIn(folder), await outcomesIn('/absent/node_modules'));
      await rm(folder, { recursive: true });
    },
  },
  {
    id: 'TS-50',
    what: 'load a file as another kind of module, which needs no permission, and then read it as text: Module._extensions, _compile, load',
    stoppedBy: 'the bootstrap (require does not look for files); OS',
    attack: eachRefused(
      ({ secrets }) => [
        ...['.mjs', '.wasm', '.js', '.cjs', '.json'].flatMap((extension) =>
          ['secret.js', 'secret.json', '.env', 'secret.txt'].map((file) =>
            inModule(
              `const m = new M("x", null); M._extensions["${extension}"](m, "${secrets}/${file}"); return m.exports`,
            ),
          ),
        ),
        inModule(`const m = new M("x", null); M._extensions[".js"](m, "${secrets}/x.mts"); return m.exports`),
        inModule(
          `const m = new M("x", null); m._compile("", "${secrets}/secret.js", "module"); return m.exports`,
        ),
        inModule(
          `const m = new M("x", null); m._compile("export {}", "${secrets}/secret.js"); return m.exports`,
        ),
        inModule(
          `const m = new M("x", null); m._compile('import text from "file://${secrets}/secret.txt" with { type: "text" }; export default text', "/x.mjs", "module", true); return m.exports`,
        ),
        inModule(
          `const source = 'import text from "file://${secrets}/secret.txt" with { type: "text" }; export default text'; const hooks = M.registerHooks({ load: () => ({ source, format: "module", shortCircuit: true }) }); try { const m = new M("x", null); m.load("/x.mjs"); return m.exports } finally { hooks.deregister() }`,
        ),
        // Deno treats a file that the loader has read once as part of the program, which may be read.
        `import("file://${secrets}/secret.js", { with: { type: "text" } })`,
        `import("file://${secrets}/.env", { with: { type: "text" } })`,
        inModule(
          `const m = new M("x", null); M._extensions[".json"](m, "${secrets}/secret.json"); return m.exports`,
        ),
      ],
      /Requires read access/,
    ),
  },
];
