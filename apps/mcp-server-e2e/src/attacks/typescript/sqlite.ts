import assert from 'node:assert/strict';

import type { ProgramAttack } from '../arena/program-attack.js';

const setting = 'temp_store_directory';

/** Attacks through SQLite in memory, which needs no permission. */
export const sqlite: readonly ProgramAttack[] = [
  {
    id: 'TS-53',
    what: 'use SQLite to find out whether folders exist and are writable, and to create files there, in every spelling and from Python',
    stoppedBy: 'the bootstrap (no statement may name the setting); OS',
    async attack({ run, runPython, places: { secrets, writable } }) {
      const statements = [secrets, writable, `${secrets}/absent`, '/etc'].flatMap((folder) => [
        `PRAGMA ${setting}='${folder}'`,
        `pragma/**/"${setting.toUpperCase()}"('${folder}')`,
        `SELECT 1; PRAGMA main.[Temp_Store_Directory] = "${folder}"; SELECT 2`,
      ]);
      // All get the same answer, so it reveals nothing about the folder.
      const probe = `(({ DatabaseSync }) => ${JSON.stringify(statements)}.flatMap((sql) => [
          (db) => db.exec(sql),
          (db) => db.prepare(sql).all(),
          (db) => db.createTagStore().run([sql]),
          (db) => db.createTagStore().run(Object.assign([sql], { raw: [sql] })),
          (db) => db.exec({ toString: () => sql }),
          (db) => db.exec({ asked: 0, toString() { return this.asked++ === 0 ? "SELECT 1" : sql } }),
          (db) => Object.getPrototypeOf(DatabaseSync).prototype.exec.call(db, sql),
          (db) => new (Object.getPrototypeOf(DatabaseSync))(":memory:").exec(sql),
        ].map((way) => { try { return String(way(new DatabaseSync(":memory:"))) } catch (error) { return error.message } })))(process.getBuiltinModule("sqlite"))`;
      const patched = `String.prototype.includes = () => false; String.prototype.toLowerCase = () => ""; Reflect.apply = () => false;`;
      const answers = [
        (await run(`return ${probe}`)).result,
        (await run(`${patched} return ${probe}`)).result,
        (
          await runPython(
            `from pyodide.code import run_js\nimport json\njson.loads(run_js(${JSON.stringify(`JSON.stringify(${probe})`)}))`,
          )
        ).result,
      ] as string[][];
      for (const said of answers) {
        assert.equal(said.length, statements.length * 8);
        const revealing = said.filter(
          (answer) =>
            !answer.startsWith('Requires write access: a program has no folder') &&
            !/must be a string|is not a string|expected/i.test(answer),
        );
        assert.deepEqual([...new Set(revealing)], []);
      }
      const { result } = await run(
        `const { DatabaseSync } = process.getBuiltinModule("sqlite"); const db = new DatabaseSync(":memory:");
         db.exec("CREATE TABLE t (a)"); db.prepare("INSERT INTO t VALUES (?)").run(42);
         return db.prepare("SELECT a FROM t").all();`,
      );
      assert.deepEqual(result, [{ a: 42 }]);
    },
  },
];
