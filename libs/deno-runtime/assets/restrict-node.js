/**
 * Restricts Deno's Node layer. Deno 2.9 asks for no permission when a native socket that was never bound listens, and
 * when `require` looks for files. The layer is loaded when a program first uses it, and loading it earlier would double
 * the work of a start. So it is restricted while it loads: when its modules assign certain properties, they call the
 * setters that are defined here. Other versions of Deno may assign other properties; the attacks NET-04, TS-48 and PY-35
 * would detect that.
 */

// Taken before the program runs, so that its changes to the globals open nothing.
const { apply, defineProperty, getOwnPropertyDescriptor, ownKeys } = Reflect;
const { toString } = Function.prototype;
const { NotCapable } = Deno.errors;

/** The properties that native sockets and pipes keep. */
const harmless = new Set([
  ...['constructor', 'close', 'fd', 'fdForIpc', 'socketTypeForIpc', 'isStreamBase'],
  ...['getpeername', 'getsockname', 'setKeepAlive', 'setNoDelay'],
]);
const lastStandardStream = 2;
const badDescriptor = -9;

export function restrictNode() {
  closeSockets();
  // This is the first property that is assigned to `Module`.
  whenAssigned(Function.prototype, 'builtinModules', requireBuiltinsOnly);
}

/** Calls `react` after a property was first assigned to an object that inherits from `above`. */
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
  // Everything that shares prototypes with sockets reads its number here before it is created. The sockets must be
  // closed by then, because code that has one of those prototypes earlier could define a setter in front of the one
  // above.
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
 * Makes `require` return only Node's own modules. Otherwise it would read any package.json and any file that is a
 * module, and what it has read can be imported as text.
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
    // Leaves out the parent module, because Deno would read the package.json of its package.
    set(original) {
      resolve = (request) => apply(original, Module, [request]);
    },
  });
  defineProperty(Module, '_findPath', {
    get: () => refuseFiles,
    set() {
      // It exists by now, and was defined in a way that calls no setter.
      defineProperty(Module, '_stat', { value: refuseFiles });
    },
  });
}

function refuseFiles() {
  throw new NotCapable('Requires read access: require() gives modules of Node, and none from files');
}
