/**
 * SQLite in memory needs no permission, and one of its settings looks at folders without asking for any: setting
 * `PRAGMA temp_store_directory` tells whether a folder is there and can be written, and has its files made there.
 * Another Deno may have other ways to give SQLite a statement: the attack TS-53 would notice.
 */

// Taken before the program runs, so that its changes to the globals open nothing.
const { apply, defineProperty, getPrototypeOf } = Reflect;
const { includes, toLowerCase } = String.prototype;
const { NotCapable } = Deno.errors;
/** In whatever way a statement writes it: no name in SQL has escapes. */
const setting = 'temp_store_directory';

/** Loading SQLite takes a millisecond: best while something else is waited for. */
export async function closeSqlite() {
  const { DatabaseSync } = await import('node:sqlite');
  // Which of its prototypes has a method is up to Deno's version.
  const end = Object.prototype;
  for (let prototype = DatabaseSync.prototype; prototype !== end; prototype = getPrototypeOf(prototype)) {
    for (const name of ['exec', 'prepare']) {
      if (!Object.hasOwn(prototype, name)) continue;
      const original = prototype[name];
      const value = function (sql, ...options) {
        // SQLite takes nothing but a string.
        if (typeof sql === 'string' && apply(includes, apply(toLowerCase, sql, []), [setting])) refuse();
        return apply(original, this, [sql, ...options]);
      };
      defineProperty(prototype, name, { value });
    }
    // It prepares statements by itself.
    if (Object.hasOwn(prototype, 'createTagStore')) {
      defineProperty(prototype, 'createTagStore', { value: refuse });
    }
  }
}

function refuse() {
  throw new NotCapable(`Requires write access: a program has no folder for ${setting}`);
}
