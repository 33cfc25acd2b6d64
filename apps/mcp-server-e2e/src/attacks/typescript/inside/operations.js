/* global Deno, addEventListener */
/**
 * Runs as the entry script of a sandbox with the product's own permissions, which are none. Calls every internal
 * operation of the runtime, starting with the number in its first argument. It prints each number and its outcome, so
 * that the caller can continue after an operation that ended the process.
 */
const [first, secrets, port] = Deno.args;
// Deno creates most of its operations only when their properties are accessed.
for (const key of Object.keys(Deno)) {
  try {
    void Deno[key];
  } catch {
    // Some may be accessed only by tests or notebooks.
  }
}
const { ops } = Deno[Deno.internal].core;
const names = Object.keys(ops).sort();
const file = `${secrets}/secret.txt`;
const url = `http://127.0.0.1:${port}/`;
const bytes = new TextEncoder().encode(file);
const argumentLists = [
  [],
  [file],
  [file, file],
  [url],
  [url, url, [], null, null],
  ['GET', url, [], 0, false, null, null],
  [{ hostname: '127.0.0.1', port: Number(port) }],
  [7, bytes],
  [8, bytes, bytes],
  [1n, 2n],
  [bytes, file, 0o777],
  [null, undefined, {}],
];
/** These wait forever, or end the process as they should. */
const ended = /^op_(?:exit|reap|.*_abort|.*sleep|.*_wait|panic|.*terminate.*)|op_read_sync|op_stdin/;

const encoder = new TextEncoder();
const print = (text) => Deno.stdout.writeSync(encoder.encode(text));
const show = (value) => {
  try {
    const text =
      value instanceof Uint8Array
        ? new TextDecoder().decode(value)
        : typeof value === 'string'
          ? value
          : JSON.stringify(value, (_, each) => (typeof each === 'bigint' ? String(each) : each));
    return String(text).slice(0, 2000);
  } catch {
    return '?';
  }
};

addEventListener('unhandledrejection', (event) => event.preventDefault());
addEventListener('error', (event) => event.preventDefault());
const pending = [];
for (let index = Number(first); index < names.length; index++) {
  const name = names[index];
  print(`${index} of ${names.length} ${name}\n`);
  if (ended.test(name)) continue;
  for (const list of argumentLists) {
    for (const make of [(operation) => operation(...list), (operation) => new operation(...list)]) {
      try {
        const result = make(ops[name]);
        if (typeof result?.then === 'function')
          pending.push(
            result.then(
              (value) => print(`${name}: ${show(value)}\n`),
              () => undefined,
            ),
          );
        else if (result !== undefined) print(`${name}: ${show(result)}\n`);
      } catch {
        // Refused, as expected.
      }
    }
  }
}
await Promise.race([Promise.all(pending), new Promise((go) => setTimeout(go, 1000))]);
Deno.exit(0);
