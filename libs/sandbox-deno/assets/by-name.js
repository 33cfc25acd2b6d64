/**
 * An object that makes its properties when they are asked for, whatever their name, and keeps them; `list` has the
 * names of those that there are.
 */
export function byName(make, list) {
  const made = new Map();
  const get = (name) => {
    if (!made.has(name)) made.set(name, make(name));
    return made.get(name);
  };
  // `then` would make it something to await.
  const isName = (name) => typeof name === 'string' && name !== 'then';
  const target = Object.create(null);
  // What the console shows.
  const inspect = (show) => show(Object.fromEntries(list().map((name) => [name, get(name)])));
  Object.defineProperty(target, Symbol.for('Deno.customInspect'), { value: inspect, configurable: true });
  return new Proxy(target, {
    get: (_, name) => {
      // As JSON, it is its names.
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
