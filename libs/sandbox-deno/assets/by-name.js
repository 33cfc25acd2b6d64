/**
 * An object that creates a property on first access, whatever its name, and keeps it. `list()` returns the names
 * to show when properties are listed.
 */
export function byName(make, list) {
  const made = new Map();
  const get = (name) => {
    if (!made.has(name)) made.set(name, make(name));
    return made.get(name);
  };
  // With a `then`, `await` would treat the object as a promise.
  const isName = (name) => typeof name === 'string' && name !== 'then';
  const target = Object.create(null);
  // The console calls this to show the object.
  const inspect = (show) => show(Object.fromEntries(list().map((name) => [name, get(name)])));
  Object.defineProperty(target, Symbol.for('Deno.customInspect'), { value: inspect, configurable: true });
  return new Proxy(target, {
    get: (_, name) => {
      // As JSON, the object is the list of its names.
      if (name === 'toJSON') return list;
      return isName(name) ? get(name) : undefined;
    },
    has: (_, name) => isName(name) && list().includes(name),
    ownKeys: () => [...list(), ...Reflect.ownKeys(target)],
    getOwnPropertyDescriptor: (_, name) =>
      isName(name)
        ? { value: get(name), enumerable: true, configurable: true }
        : Reflect.getOwnPropertyDescriptor(target, name),
    set: () => false,
    defineProperty: () => false,
    deleteProperty: () => false,
    setPrototypeOf: () => false,
    preventExtensions: () => false,
  });
}
