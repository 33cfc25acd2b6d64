/** What `bare-server.mjs` runs in Deno: one program from stdin, whose value is printed. */
/* global Deno */
const bytes = new Uint8Array(64 * 1024);
const code = JSON.parse(new TextDecoder().decode(bytes.subarray(0, Deno.stdin.readSync(bytes))));
const module = `export default await (async () => {${code}\n})()`;
const url = URL.createObjectURL(new Blob([module], { type: 'application/typescript' }));
console.log(JSON.stringify((await import(url)).default));
Deno.stdin.readSync(bytes);
