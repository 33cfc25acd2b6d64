/**
 * SQLite in memory needs no permission, and one of its settings has access to folders without any: setting
 * `PRAGMA temp_store_directory` shows whether a folder exists and is writable, and SQLite then creates files in it.
 * Other versions of Deno may have other ways to pass a statement to SQLite; the attack TS-53 would detect that.
 */

// Taken before the program runs, so that its changes to the globals open nothing.
const { apply, defineProperty, getPrototypeOf } = Reflect;
const { includes, toLowerCase } = String.prototype;
const { NotCapable } = Deno.errors;
/** Every statement that uses the setting contains this text, because names in SQL have no escapes. */
const setting = 'temp_store_directory';

/** Loading SQLite takes a millisecond, so call this while waiting for something else. */
export async function restrictSqlite() {
  const { DatabaseSync } = await import('node:sqlite');
  // Which of its prototypes has a method depends on Deno's version.
  const end = Object.prototype;
  for (let prototype = DatabaseSync.prototype; prototype !== end; prototype = getPrototypeOf(prototype)) {
    for (const name of ['exec', 'prepare']) {
      if (!Object.hasOwn(prototype, name)) continue;
      const original = prototype[name];
      const value = function (sql, ...options) {
        // SQLite accepts only strings.
        if (typeof sql === 'string' && apply(includes, apply(toLowerCase, sql, []), [setting])) refuse();
        return apply(original, this, [sql, ...options]);
      };
      defineProperty(prototype, name, { value });
    }
    // A tag store prepares statements itself.
    if (Object.hasOwn(prototype, 'createTagStore')) {
      defineProperty(prototype, 'createTagStore', { value: refuse });
    }
  }
}

function refuse() {
  throw new NotCapable(`Requires write access: a program has no folder for ${setting}`);
}
