/** `bare-server.mjs` runs this in Deno: it reads a program from stdin, runs it with tools and prints its value. */
/* global Deno */
const bytes = new Uint8Array(64 * 1024);
const code = JSON.parse(new TextDecoder().decode(bytes.subarray(0, Deno.stdin.readSync(bytes))));

const waiting = new Map();
let reading;
/** Reads answers as they arrive; starts with the first call. */
async function readAnswers() {
  let text = '';
  for await (const chunk of Deno.stdin.readable.pipeThrough(new TextDecoderStream())) {
    const lines = (text + chunk).split('\n');
    text = lines.pop();
    for (const line of lines) {
      const { id, value } = JSON.parse(line);
      waiting.get(id)(value);
    }
  }
}
globalThis.callTool = (name, args) => {
  reading ??= readAnswers();
  const id = waiting.size + 1;
  console.log(JSON.stringify({ id, name, args }));
  return new Promise((resolve) => waiting.set(id, resolve));
};

const module = `export default await (async () => {${code}\n})()`;
const url = URL.createObjectURL(new Blob([module], { type: 'application/typescript' }));
console.log(JSON.stringify({ value: (await import(url)).default }));
if (!reading) Deno.stdin.readSync(bytes);
