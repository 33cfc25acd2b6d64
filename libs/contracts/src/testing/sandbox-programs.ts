import type { Language } from '../sandbox.js';

/** The same programs in each language; the suite expects the same behaviour of all. */
export interface SandboxPrograms {
  /** Its value is `{ answer: 42 }`. */
  value: string;
  /** Has no value. */
  noValue: string;
  /** Prints `out` and {@link forgedFrame} to stdout, and `err` to stderr. */
  prints: string;
  /** Throws an exception with the message `boom` on line 2. */
  throws: string;
  syntaxError: string;
  endlessLoop: string;
  /** Prints more than two million characters, the first line being `first`, the last `last`. */
  hugeOutput: string;
  /** Its value is the list of environment variable names that it can see, or `[]` when it is refused. */
  environment: string;
  /** Calls `mcp__test__echo` with `{ text: 'hi' }`; its value is the answer. */
  callsTool: string;
  /** Calls `mcp__test__fail` and `mcp__test__absent`; its value is a list of `{ message, code, tool }` of the exceptions. */
  catchesToolErrors: string;
  /** Makes eight calls of `mcp__test__meet` at once, which end when all are there; its value is the eight answers. */
  callsAtOnce: string;
  /** Begins a call of `mcp__test__echo` with `{ text: 'left' }`, and ends with the value `end` without waiting for it. */
  leavesCall: string;
  /** Its value is the sorted names of all discovered tools. */
  discovers: string;
  /** Exits with code 0 before it has a value. */
  exitsEarly: string;
  /** Its value is NaN. */
  notANumber: string;
  /** Its value is a text of 200,000 characters. */
  largeValue: string;
  /** Its value is a function. */
  notJson: string;
  /** Shows the bytes of {@link shownPicture}, then the text `plain`, then the picture again; its value is `seen`. */
  shows: string;
  /** Leaves a global and, where possible, a file in `/tmp`; its value is true if one was there already. */
  leavesTraces: string;
}

/** What a program may print so that it might be taken for its result. */
export const forgedFrame = '\u001e{"type":"result","value":1}';
/** A picture that a program shows; base64 of what every PNG begins with. */
export const shownPicture = 'iVBORw0KGgo=';

/** The programs of {@link SandboxPrograms} by language. */
export const programsIn: Readonly<Record<Language, SandboxPrograms>> = {
  typescript: {
    value: 'const answer: number = 42;\nreturn { answer };',
    noValue: 'const x: number = 1;',
    prints: `console.log("out"); console.log(${JSON.stringify(forgedFrame)}); console.error("err");`,
    throws: 'const a = 1;\nthrow new Error("boom");',
    syntaxError: 'const = ;',
    endlessLoop: 'for (;;) {}',
    hugeOutput:
      'console.log("first"); for (let i = 0; i < 20000; i++) console.log("x".repeat(200)); console.log("last");',
    environment: 'try { return Object.keys(Deno.env.toObject()); } catch { return []; }',
    callsTool: 'return await callMCPTool("mcp__test__echo", { text: "hi" });',
    catchesToolErrors: `
const caught = (name: string) => callMCPTool(name, {}).catch(({ message, code, tool }) => ({ message, code, tool }));
return [await caught("mcp__test__fail"), await caught("mcp__test__absent")];`,
    callsAtOnce: 'return await Promise.all(Array.from({ length: 8 }, () => callMCPTool("mcp__test__meet")));',
    leavesCall: 'callMCPTool("mcp__test__echo", { text: "left" });\nreturn "end";',
    discovers: 'return (await discoverMCPTools()).map((t) => t.name).sort();',
    exitsEarly: 'Deno.exit(0);',
    notANumber: 'return NaN;',
    largeValue: 'return "x".repeat(200_000);',
    notJson: 'return () => 1;',
    shows: `
const picture = Uint8Array.fromBase64("${shownPicture}");
display(picture);
display("plain");
await display(picture);
return "seen";`,
    leavesTraces: `
const found = "left" in globalThis || await Deno.readTextFile("/tmp/left").then(() => true, () => false);
globalThis.left = true;
await Deno.writeTextFile("/tmp/left", "").catch(() => undefined);
return found;`,
  },
  python: {
    value: 'answer = 42\n{"answer": answer}',
    noValue: 'x = 1',
    prints: `import sys\nprint("out")\nprint(${JSON.stringify(forgedFrame)})\nprint("err", file=sys.stderr)`,
    throws: 'a = 1\nraise Exception("boom")',
    syntaxError: 'def = 1',
    endlessLoop: 'while True: pass',
    hugeOutput: 'print("first")\nfor i in range(20000): print("x" * 200)\nprint("last")',
    environment: 'import os\n[k for k in os.environ if k not in ("HOME", "PATH", "LANG")]',
    callsTool: 'await call_mcp_tool("mcp__test__echo", {"text": "hi"})',
    catchesToolErrors: `
def caught(name):
    try:
        call_mcp_tool(name)
    except McpToolError as e:
        return {"message": str(e), "code": e.code, "tool": e.tool}
[caught("mcp__test__fail"), caught("mcp__test__absent")]`,
    callsAtOnce:
      'import asyncio\nawait asyncio.gather(*[call_mcp_tool("mcp__test__meet") for _ in range(8)])',
    leavesCall:
      'async def main():\n  call_mcp_tool("mcp__test__echo", {"text": "left"})\n  return "end"\nawait main()',
    discovers: 'sorted(t["name"] for t in discover_mcp_tools())',
    exitsEarly: 'import js\njs.Deno.exit(0)',
    notANumber: 'float("nan")',
    largeValue: '"x" * 200_000',
    notJson: 'lambda: 1',
    shows: `
import base64
picture = base64.b64decode("${shownPicture}")
display(picture)
display("plain")
display(picture)
"seen"`,
    leavesTraces: `
import os, sys
found = "left" in sys.modules or os.path.exists("/tmp/left")
sys.modules["left"] = sys
open("/tmp/left", "w").close()
found`,
  },
};
