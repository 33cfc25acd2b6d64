import type { StdioArena, RunOptions } from '../arena/stdio-arena.js';

/**
 * The beginning of programs that write their own frames: it takes the nonce from the bytes of a first call and defines
 * `frame(value)`, and `finish()` for after a result. The first free call number is 2.
 */
export const forging = `
let nonce = "";
const { subarray } = Uint8Array.prototype;
Uint8Array.prototype.subarray = function (...range) {
  if (this[0] === 0x1e && nonce === "") nonce = new TextDecoder().decode(this).slice(1, 33);
  return subarray.apply(this, range);
};
const listed = searchTools("x").catch(() => {});
for (let turn = 0; turn < 10 && nonce === ""; turn++) await undefined;
// Calls are sent when the program pauses.
await new Promise((go) => setTimeout(go));
const bytes = (data: Uint8Array, stream = Deno.stdout) => { for (let rest = data; rest.length > 0;) rest = subarray.call(rest, stream.writeSync(rest)); };
const send = (text: string, stream = Deno.stdout) => bytes(new TextEncoder().encode(text), stream);
const frame = (value: unknown, stream = Deno.stdout) => send("\\u001e" + nonce + (typeof value === "string" ? value : JSON.stringify(value)) + "\\n", stream);
const finish = () => { for (;;); };
if (!/^[0-9a-f]{32}$/.test(nonce)) throw new Error("The nonce was not found.");
`;

/** The outcome of a program that wrote invalid data to the pipe. */
export const wroteToPipe = { success: false, errorCode: 'user_error', toolCallsMade: [] };

/** Runs a program that forges frames; resolves with the part of its report that shows whether they were accepted. */
export async function outcomeOf({ run }: StdioArena, program: string, options: RunOptions = {}) {
  const { success, result, errorCode, toolCallsMade } = await run(forging + program, options);
  return { success, ...(errorCode && { errorCode }), ...(result !== undefined && { result }), toolCallsMade };
}
