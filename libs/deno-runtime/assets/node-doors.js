/**
 * Doors in Deno's Node layer. Deno 2.9 asks for no permission when a native socket listens that was never bound,
 * and when `require` looks for files. The layer is loaded when a program first uses it, and loading it ahead
 * would double the work of a start; so these doors close while it loads: its modules assign properties, and find
 * setters of ours above them. Another Deno may assign others: the attacks NET-04, TS-48 and PY-35 would notice.
 */

// Taken before the program runs, so that its changes to the globals open nothing.
const { apply, defineProperty, getOwnPropertyDescriptor, ownKeys } = Reflect;
const { toString } = Function.prototype;
const { NotCapable } = Deno.errors;

/** What is left of native sockets and pipes. */
const harmless = new Set([
  ...['constructor', 'close', 'fd', 'fdForIpc', 'socketTypeForIpc', 'isStreamBase'],
  ...['getpeername', 'getsockname', 'setKeepAlive', 'setNoDelay'],
]);
const lastStandardStream = 2;
const badDescriptor = -9;

export function closeNodeDoors() {
  closeSockets();
  // The first property that `Module` is given.
  whenAssigned(Function.prototype, 'builtinModules', requireBuiltinsOnly);
}

/** Calls back when an object below `above` is first assigned a property, which it then has as usual. */
function whenAssigned(above, name, react) {
  defineProperty(above, name, {
    get: () => undefined,
    set(value) {
      defineProperty(this, name, { value, writable: true, enumerable: true, configurable: true });
      react(this);
    },
  });
}

function closeSockets() {
  const closed = new Set();
  whenAssigned(Object.prototype, 'isStreamBase', (prototype) => {
    if (isNative(prototype, 'openFromRid')) closed.add('TCP');
    else if (isNative(prototype, 'setPendingInstances')) closed.add('Pipe');
    else return;
    takeAway(prototype);
  });
  // Whatever shares prototypes with sockets reads its number here before it is made. By then they are closed: who
  // had one of those prototypes earlier could put itself between them and the setter above.
  const loadAll = getOwnPropertyDescriptor(globalThis, 'process').get;
  whenAssigned(Object.prototype, 'ZLIB', (providers) => {
    for (const name of ownKeys(providers)) {
      const { value } = getOwnPropertyDescriptor(providers, name);
      const get = () => {
        if (closed.size < 2) apply(loadAll, globalThis, []);
        return closed.size < 2 ? refuse() : value;
      };
      defineProperty(providers, name, { get });
    }
  });
}

/** Whether an object has a method of the runtime's own; a program cannot make one that looks like it. */
function isNative(object, name) {
  const method = getOwnPropertyDescriptor(object, name)?.value;
  return (
    typeof method === 'function' && apply(toString, method, []) === `function ${name}() { [native code] }`
  );
}

function takeAway(prototype) {
  const { open } = prototype;
  for (const name of ownKeys(prototype)) {
    if (!harmless.has(name)) defineProperty(prototype, name, { value: refuse, writable: true });
  }
  // `process.stdout` opens the streams that the process was started with.
  prototype.open = function (descriptor) {
    const number = descriptor | 0;
    return number >= 0 && number <= lastStandardStream ? apply(open, this, [number]) : badDescriptor;
  };
}

function refuse() {
  throw new NotCapable(
    'Requires net access: a program has no sockets; fetch asks for hosts in permissions.net',
  );
}

/**
 * `require` gives modules of Node, and never looks for files: it would read any package.json, and any file that is
 * a module, and what it has read once may be imported as text.
 */
function requireBuiltinsOnly(Module) {
  const fix = (object, name, value) => defineProperty(object, name, { get: () => value, set() {} });
  const loaders = new Proxy(Object.freeze({ __proto__: null }), { get: () => refuseFiles, set: () => true });
  fix(Module, '_extensions', loaders);
  fix(Module.prototype, 'load', refuseFiles);
  fix(Module.prototype, '_compile', refuseFiles);
  let resolve;
  defineProperty(Module, '_resolveFilename', {
    get: () => resolve,
    // Without the parent, whose package would be looked into.
    set(original) {
      resolve = (request) => apply(original, Module, [request]);
    },
  });
  defineProperty(Module, '_findPath', {
    get: () => refuseFiles,
    set() {
      // Defined by now, and in a way that no setter sees.
      defineProperty(Module, '_stat', { value: refuseFiles });
    },
  });
}

function refuseFiles() {
  throw new NotCapable('Requires read access: require() gives modules of Node, and none from files');
}
